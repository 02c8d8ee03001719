import * as t from 'io-ts';
import { Region } from './region.js';
import { struct } from './struct.js';

/** The lobby that a player is to join (interface document, 2.9). Deployed servers may add deprecated keys. */
export const Lobby = struct({ lobby_id: t.string, region: Region });
export type Lobby = t.TypeOf<typeof Lobby>;
