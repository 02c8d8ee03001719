import type * as t from 'io-ts';
import { integer } from './integer.js';
import { struct } from './struct.js';

/** An inclusive range of ports (interface document, 2.9). */
export const PortRange = struct({ min: integer, max: integer });
export type PortRange = t.TypeOf<typeof PortRange>;
