import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../../error/index.js';

/**
 * The state of a token at a gate.
 *
 * - `pending`: the service is being asked about it, or its answer was lost.
 * - `in`: the service has confirmed it.
 * - `out`: the service had confirmed it. This gate admits nobody with it any more, and its slot is
 *   being freed.
 * - `unresolved`: like `out`, but the answer of the service was lost. It may count the player
 *   later.
 */
type State = 'pending' | 'in' | 'out' | 'unresolved';

const STATES: readonly State[] = ['pending', 'in', 'out', 'unresolved'];

/**
 * The folder of one state, of one gate, of one start of its process. In it is a file for each
 * token, named by its hash.
 */
const STATE_FOLDER = /^(?<gate>[\w-]+)\.[0-9a-f]+\.(?:pending|in|out|unresolved)$/;

const HASH = /^[0-9a-f]{64}$/;

/** Where files go that were cut off by a loss of power, or a full disk. */
const SET_ASIDE = 'set-aside';

/**
 * The beginning of the name of a file that has not been written wholly. The service has not been
 * asked about its token.
 */
const UNFINISHED = 'new-';

/**
 * The files of the gates of a lobby: `<gate>.<start>.<state>/<hash of the token>`. To look for a
 * token takes one look for each gate, however many players are in. The slots of an earlier process
 * with the name of this gate have to be freed. Its folders stay where they are, since a folder in
 * the lower layer of an overlay cannot be renamed, and its files are moved one by one. All calls
 * are synchronous.
 */
export class SlotFolder {
  readonly #folder: string;
  readonly #gate: string;
  readonly #folders: Readonly<Record<State, string>>;
  /** The names of the folders that earlier processes of this gate have left. */
  readonly #left: readonly string[];

  /**
   * Throws an `InputError` if the path is that of a file, and the error of `node:fs` if the folder
   * cannot be made, read or written.
   */
  constructor(folder: string, gate: string) {
    this.#folder = folder;
    this.#gate = gate;
    makeFolder(folder);
    this.#left = this.#namesOfGate();
    this.removeEmpty();
    const start = `${gate}.${randomBytes(6).toString('hex')}`;
    const path = (state: State) => this.#path(`${start}.${state}`);
    this.#folders = {
      pending: path('pending'),
      in: path('in'),
      out: path('out'),
      unresolved: path('unresolved'),
    };
    for (const state of STATES) this.#make(state);
  }

  /** Whether another process has started with the name of this gate. */
  get isReplaced(): boolean {
    const known = new Set([...this.#left.map(name => this.#path(name)), ...Object.values(this.#folders)]);
    return this.#namesOfGate().some(name => !known.has(this.#path(name)));
  }

  /** Called before the service is asked. Returns whether the token is new. */
  addPending(token: string): boolean {
    const isNew = !fs.existsSync(this.#file(token, 'pending'));
    this.#write(token, 'pending');
    return isNew;
  }

  /** The service has confirmed it. */
  confirm(token: string): void {
    this.#move(this.#file(token, 'pending'), token, 'in');
  }

  /** This gate admits nobody with the token any more. An earlier process that did is gone. */
  leave(token: string): void {
    const confirmed = this.#filesOf(token, 'in');
    const pending = this.#filesOf(token, 'pending');
    const state = confirmed.length > 0 ? 'out' : 'unresolved';
    for (const file of [...confirmed, ...pending]) this.#move(file, token, state);
    const isOut = this.#filesOf(token, 'out', 'unresolved').length > 0;
    if (!isOut) this.#write(token, 'unresolved');
  }

  /** The service does not count its player. */
  forgetPending(token: string): void {
    fs.rmSync(this.#file(token, 'pending'), { force: true });
  }

  /** The slot is free, or another gate has to free it. */
  forgetLeft(token: string): void {
    for (const file of this.#filesOf(token, 'out', 'unresolved')) fs.rmSync(file, { force: true });
  }

  /** Whether the service has never answered about a token whose slot is being freed. */
  isUnresolved(token: string): boolean {
    return this.#filesOf(token, 'out').length === 0;
  }

  /** Whether the slot of the token is being freed, or an earlier process has left it to us. */
  isLeft(token: string): boolean {
    const hash = hashOf(token);
    const isMine = this.#left.some(name => mayHold(join(this.#path(name), hash), token));
    return isMine || this.has(token, 'out') || this.has(token, 'unresolved');
  }

  /**
   * Whether any gate has a whole file of the token in this state. A gate cannot use a file that was
   * cut off.
   */
  has(token: string, state: State): boolean {
    const hash = hashOf(token);
    return this.#names().some(
      name => name.endsWith(`.${state}`) && mayHold(join(this.#path(name), hash), token),
    );
  }

  /** The names of the files that earlier processes of this gate have left in these states. */
  leftNames(...states: readonly State[]): readonly string[] {
    const names = new Set<string>();
    for (const folder of this.#foldersLeft(...states).filter(fs.existsSync)) {
      for (const name of fs.readdirSync(folder)) names.add(name);
    }
    return [...names];
  }

  /**
   * The token in the files of this name, if one of them is whole. The others are set aside.
   * `onSetAside` is called with their new paths.
   */
  readLeft(name: string, onSetAside: (file: string) => void): string | undefined {
    let whole: string | undefined;
    for (const folder of this.#foldersLeft(...STATES)) {
      const file = join(folder, name);
      if (!HASH.test(name)) fs.rmSync(file, { force: true });
      if (!fs.existsSync(file)) continue;
      const token = fs.readFileSync(file, 'utf8');
      if (hashOf(token) === name) whole = token;
      else onSetAside(this.#setAside(file, name));
    }
    return whole;
  }

  /** Removes the folders that earlier processes have left, if they are empty now. */
  removeEmpty(): void {
    for (const folder of this.#foldersLeft(...STATES)) {
      try {
        fs.rmdirSync(folder);
      } catch {
        // It is not empty, or has been removed.
      }
    }
  }

  #setAside(file: string, name: string): string {
    const folder = this.#path(SET_ASIDE);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${this.#gate}.${name}`);
    fs.renameSync(file, path);
    return path;
  }

  /** Writes another file, and renames it. So a file is whole, or is not there. */
  #write(token: string, state: State): void {
    this.#make(state);
    const unfinished = join(this.#folders[state], UNFINISHED + hashOf(token));
    fs.writeFileSync(unfinished, token, { mode: 0o600 });
    fs.renameSync(unfinished, this.#file(token, state));
  }

  /** Moves a file of the token. Writes another one if it, or the folder of the state, is gone. */
  #move(file: string, token: string, state: State): void {
    try {
      fs.renameSync(file, this.#file(token, state));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#write(token, state);
      fs.rmSync(file, { force: true });
    }
  }

  /** Makes the folder of a state. Something that tidies up may have removed it, if it was empty. */
  #make(state: State): void {
    fs.mkdirSync(this.#folders[state], { recursive: true, mode: 0o700 });
  }

  #file(token: string, state: State): string {
    return join(this.#folders[state], hashOf(token));
  }

  /** The files of the token in these states, of this process and of earlier ones of this gate. */
  #filesOf(token: string, ...states: readonly State[]): readonly string[] {
    const folders = [...states.map(state => this.#folders[state]), ...this.#foldersLeft(...states)];
    return folders.map(folder => join(folder, hashOf(token))).filter(fs.existsSync);
  }

  #foldersLeft(...states: readonly State[]): readonly string[] {
    const isOfState = (name: string) => states.some(state => name.endsWith(`.${state}`));
    return this.#left.filter(isOfState).map(name => this.#path(name));
  }

  /** The names of the folders that processes of this gate have. */
  #namesOfGate(): readonly string[] {
    return this.#names().filter(name => STATE_FOLDER.exec(name)?.groups?.gate === this.#gate);
  }

  /** None if the folder itself has been removed. */
  #names(): readonly string[] {
    return fs.existsSync(this.#folder) ? fs.readdirSync(this.#folder) : [];
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function makeFolder(folder: string): void {
  const isOther = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false;
  if (isOther) throw new InputError('folder', 'the path of a folder', 'the path of a file');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whether the file is there and whole. True if it cannot be read, since its gate may read it. */
function mayHold(file: string, token: string): boolean {
  if (!fs.existsSync(file)) return false;
  try {
    return fs.readFileSync(file, 'utf8') === token;
  } catch (error) {
    // Removed between the two calls.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
