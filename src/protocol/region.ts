import * as t from 'io-ts';
import { struct } from './struct.js';

/** Where a lobby runs (interface document, 2.9); `region_id` is short and made for humans. */
export const Region = struct({ region_id: t.string, display_name: t.string });
export type Region = t.TypeOf<typeof Region>;
