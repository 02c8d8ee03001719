import * as t from 'io-ts';
import { integer } from './integer.js';
import { PortRange } from './port-range.js';
import { struct } from './struct.js';

/**
 * How to reach one named port of a lobby (interface document, 2.9). `host` and `port` are null where a `port_range`
 * is used.
 */
export const Port = struct(
  { hostname: t.string, is_tls: t.boolean },
  { host: t.string, port: integer, port_range: PortRange },
);
export type Port = t.TypeOf<typeof Port>;
