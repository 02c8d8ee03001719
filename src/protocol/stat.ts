import * as t from 'io-ts';
import { StatConfig } from './stat-config.js';
import { struct } from './struct.js';

/** One statistic of a player in a game (interface document, 2.6). */
export const Stat = struct({ config: StatConfig, overall_value: t.number });
export type Stat = t.TypeOf<typeof Stat>;
