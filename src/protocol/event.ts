import * as t from 'io-ts';
import { jsonObject } from './json-object.js';
import { Notification } from './notification.js';
import { struct } from './struct.js';

/**
 * An event as it stands on the wire (interface document, 2.4): `kind` holds the payload under one key, the kind's name.
 */
export const Event = struct({ kind: jsonObject, ts: t.string }, { notification: Notification });
export type Event = t.TypeOf<typeof Event>;
