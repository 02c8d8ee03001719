import * as t from 'io-ts';
import { GameHandle } from './game-handle.js';
import { Stat } from './stat.js';
import { struct } from './struct.js';

/** A game on a profile, with the statistics of its owner (interface document, 2.5). */
export const ProfileGame = struct({ game: GameHandle, stats: t.readonlyArray(Stat) });
export type ProfileGame = t.TypeOf<typeof ProfileGame>;
