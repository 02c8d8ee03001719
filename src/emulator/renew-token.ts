import { findRecord } from './find-record.js';
import { issueToken } from './issue-token.js';
import type { World } from './world.js';

/** A fresh bearer token for whom a token, run out or not, speaks for. */
export const renewToken =
  (world: World) =>
  (token: string): string => {
    const { kind, id } = findRecord(world.bearers, 'token', token);
    const fresh = issueToken(kind, world);
    world.bearers.set(fresh, { kind, id, expired: false });
    return fresh;
  };
