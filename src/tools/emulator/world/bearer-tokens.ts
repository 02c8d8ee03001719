import { randomId } from './random-numbers.js';
import { findRecord, type Bearer } from './records.js';
import type { World } from './world.js';

/** A new opaque token. Its prefix is its kind, which helps with debugging. */
export function newToken({ random }: World, kind: 'identity' | 'lobby' | 'player'): string {
  return `${kind}.${randomId(random).replaceAll('-', '')}`;
}

/** Issues a bearer token for an identity or a lobby. */
export function issueBearer(world: World, kind: Bearer['kind'], id: string): string {
  const token = newToken(world, kind);
  world.bearers.set(token, { kind, id, expired: false });
  return token;
}

export function expireToken(world: World, token: string): void {
  findRecord(world.bearers, 'token', token).expired = true;
}

export function renewToken(world: World, token: string): string {
  const { kind, id } = findRecord(world.bearers, 'token', token);
  return issueBearer(world, kind, id);
}
