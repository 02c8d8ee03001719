import { createHash } from 'node:crypto';
import type { GateSettings } from '../lobby-gate-config.js';
import type { Refusal } from './refusal.js';

/** Remembers for a while which tokens the service has refused, so that they cost no further requests. */
export interface RefusedTokens {
  readonly get: (token: string) => Refusal | undefined;
  readonly add: (token: string, refusal: Refusal) => void;
}

/** How long a token is remembered, in ms. */
const MEMORY = 10_000;

/** Beyond that, the oldest is forgotten. */
const MAX_REFUSED = 10_000;

export function createRefusedTokens({ scheduler }: Pick<GateSettings, 'scheduler'>): RefusedTokens {
  // In order of their end, since all of them are kept for the same time. Hashes are small, and reveal no token.
  const refused = new Map<string, { readonly refusal: Refusal; readonly until: number }>();
  return {
    get: token => {
      const { refusal, until } = refused.get(hashOf(token)) ?? { until: 0 };
      return scheduler.now() < until ? refusal : undefined;
    },
    add: (token, { status, code, reason }) => {
      const now = scheduler.now();
      const hash = hashOf(token);
      refused.delete(hash);
      refused.set(hash, { refusal: { status, code, reason }, until: now + MEMORY });
      for (const [oldest, { until }] of refused) {
        if (now < until && refused.size <= MAX_REFUSED) break;
        refused.delete(oldest);
      }
    },
  };
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');
