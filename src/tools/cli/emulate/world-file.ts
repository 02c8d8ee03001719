import { readFileSync } from 'node:fs';
import { createEmulator, type SavedWorld, type SeededWorld } from '../../emulator/index.js';
import { plainObject } from '../../../error/index.js';

/** A world that a workbench has saved, and what the commands act on in it. */
export interface WorldFile {
  readonly saved: SavedWorld;
  readonly world: SeededWorld;
}

/**
 * Reads the file of `--world`. Throws an error that says what is wrong with it, and quotes nothing
 * of it: it has tokens.
 */
export function readWorldFile(path: string): WorldFile {
  const wrong = (got: string) =>
    new Error(`--world must be a file that "Save the world" of a workbench has written; got ${got}`);
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw wrong(error instanceof SyntaxError ? 'one that is not JSON' : (error as Error).message);
  }
  const { saved, world } = Object(file) as Partial<WorldFile>;
  if (!plainObject.is(saved) || !plainObject.is(world)) throw wrong('another one');
  try {
    createEmulator({ saved });
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (!isWorldOf(saved, world)) throw wrong('one whose ids do not belong together');
  return { saved, world };
}

/** Whether what the commands act on exists. */
function isWorldOf({ identities, groups, lobbies, bearers }: SavedWorld, world: SeededWorld): boolean {
  const has = (entries: readonly (readonly [id: string, record: unknown])[], id: string) =>
    entries.some(([other]) => other === id);
  const { groupId, lobbyId, identityId, identityToken, friendIds } = world;
  return (
    // Lines for a shell are made of it.
    /^[\w.-]+$/.test(identityToken) &&
    has(groups, groupId) &&
    has(lobbies, lobbyId) &&
    has(bearers, identityToken) &&
    Array.isArray(friendIds) &&
    [identityId, ...(friendIds as readonly string[])].every(id => has(identities, id))
  );
}
