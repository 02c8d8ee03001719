import { HELD_MS } from '../../../../error/index.js';
import type { SeenRequest } from '../../world-view.js';

/** Those who send requests with the token of one identity or lobby. */
export interface SeenClient {
  readonly who: string;
  readonly who_id: string;
  /** `polling`: a poll is held. `retrying`: the last one failed. `between`: the next one is due. `gone`: there was none for long. */
  readonly state: 'polling' | 'retrying' | 'between' | 'gone';
  /** The paths that it polls, or has asked for. */
  readonly paths: readonly string[];
  /** When its first request came, in ms since 1970. */
  readonly since: number;
  /** The last request that has ended. */
  readonly last: SeenRequest | undefined;
}

/** A watch waits so long at most before it tries again: after a 429, after another failure, and if it was answered, in ms. */
const LIMITED_MS = 900_000;
const BACKOFF_MS = 35_000;
const PACE_MS = 5_000;

const hasFailed = ({ status }: SeenRequest) => status != null && status !== 200;

/** The clients of the service, by their last requests. `now` is the clock of the service. */
export function clientsOf(requests: readonly SeenRequest[], now: number): readonly SeenClient[] {
  const byId = new Map<string, SeenRequest[]>();
  for (const request of requests) {
    const own = byId.get(request.who_id) ?? [];
    byId.set(request.who_id, own);
    own.push(request);
  }
  return Array.from(byId, ([who_id, own]) => {
    const last = own
      .filter(({ ended_at }) => ended_at != null)
      .sort((a, b) => a.ended_at! - b.ended_at!)
      .at(-1);
    const paths = new Set(own.map(({ path }) => path.split('?')[0]!));
    const { who } = own.at(-1)!;
    return {
      who,
      who_id,
      state: stateOf(own, last, now),
      paths: [...paths].slice(-4),
      since: own[0]!.at,
      last,
    };
  });
}

function stateOf(
  own: readonly SeenRequest[],
  last: SeenRequest | undefined,
  now: number,
): SeenClient['state'] {
  const isBad = last !== undefined && hasFailed(last);
  const open = own.filter(({ ended_at, is_poll }) => is_poll && ended_at == null);
  if (open.some(({ at }) => !isBad || now - at >= HELD_MS)) return 'polling';
  if (open.length > 0) return 'retrying';
  const quiet = now - (last?.ended_at ?? now);
  const patience = last?.status === 429 ? LIMITED_MS : isBad ? BACKOFF_MS : PACE_MS;
  if (quiet >= patience) return 'gone';
  return isBad ? 'retrying' : 'between';
}
