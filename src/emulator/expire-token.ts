import { findRecord } from './find-record.js';
import type { World } from './world.js';

/** A bearer token runs out: requests with it are answered 401 from now on. */
export const expireToken =
  (world: World) =>
  (token: string): void => {
    findRecord(world.bearers, 'token', token).expired = true;
  };
