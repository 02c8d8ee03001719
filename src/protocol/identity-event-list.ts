import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { decodeEvent } from './decode-event.js';
import { encodeEvent } from './encode-event.js';
import type { LiveEvent } from './live-event.js';
import { struct } from './struct.js';
import { WatchData } from './watch-data.js';

const Wire = struct({ events: t.UnknownArray, watch: WatchData });

/**
 * The events addressed to an identity, oldest first (interface document, 2.3). Each event is decoded by itself: a bad
 * one arrives as `malformed` and neither costs its neighbours nor stops the index.
 */
export const IdentityEventList = new t.Type<IdentityEventList, unknown>(
  'object',
  (u): u is IdentityEventList => Wire.is(u) && u.events.every(isLiveEvent),
  (u, context) => {
    const wire = Wire.validate(u, context);
    if (isLeft(wire)) return wire;
    const events = wire.right.events.flatMap((event, i) => decodeEvent(event, i));
    return t.success({ ...wire.right, events });
  },
  list => ({ ...list, events: list.events.map(encodeEvent) }),
);
export interface IdentityEventList {
  readonly events: readonly LiveEvent[];
  readonly watch: WatchData;
}

/** On the wire `kind` is an object, so a text there tells that an event has been decoded. */
function isLiveEvent(u: unknown): boolean {
  return typeof (u as { kind?: unknown } | null)?.kind === 'string';
}
