import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../../error/index.js';

/**
 * The state of a token at a gate.
 *
 * - `pending`: the service is being asked about it, or its answer was lost.
 * - `in`: the service has confirmed it.
 * - `out`: this gate admits nobody with it any more, and its slot is being freed.
 */
type State = 'pending' | 'in' | 'out';

/**
 * The folder of one state, of one gate, of one start of its process. In it is a file for each
 * token, named by its hash.
 */
const STATE_FOLDER = /^(?<gate>[\w-]+)\.[0-9a-f]+\.(?<state>pending|in|out)$/;

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
 * token takes one look for each gate, however many players are in. When a process starts with the
 * name of a gate, the slots of the process before it have to be freed. So it renames the folders of
 * that process to `out`, at once for all tokens. All calls are synchronous.
 */
export class SlotFolder {
  readonly #folder: string;
  readonly #gate: string;
  readonly #folders: Readonly<Record<State, string>>;
  /** The folders that earlier processes of this gate have left. */
  readonly #left: readonly string[];

  /**
   * Throws an `InputError` if the path is that of a file, and the error of `node:fs` if the folder
   * cannot be made, read or written.
   */
  constructor(folder: string, gate: string) {
    this.#folder = folder;
    this.#gate = gate;
    makeFolder(folder);
    for (const name of [...this.#namesOf('pending'), ...this.#namesOf('in')]) {
      fs.renameSync(this.#path(name), this.#newPath('out'));
    }
    this.#left = this.#namesOf('out').map(name => this.#path(name));
    this.removeEmpty();
    this.#folders = { pending: this.#newPath('pending'), in: this.#newPath('in'), out: this.#newPath('out') };
    for (const path of Object.values(this.#folders)) fs.mkdirSync(path, { mode: 0o700 });
  }

  /**
   * Whether another process has started with the name of this gate, and has renamed the folder of
   * this one.
   */
  get isReplaced(): boolean {
    return !fs.existsSync(this.#folders.in) && this.#namesOf('in').length > 0;
  }

  /** Called before the service is asked. Returns whether the token is new. */
  addPending(token: string): boolean {
    const isNew = !fs.existsSync(this.#file(token, 'pending'));
    this.#write(token, 'pending');
    return isNew;
  }

  /** The service has confirmed it. */
  confirm(token: string): void {
    fs.renameSync(this.#file(token, 'pending'), this.#file(token, 'in'));
  }

  /** This gate admits nobody with the token any more. */
  leave(token: string): void {
    const out = this.#file(token, 'out');
    const file = [this.#file(token, 'in'), this.#file(token, 'pending')].find(fs.existsSync);
    if (file !== undefined) fs.renameSync(file, out);
    else if (!fs.existsSync(out)) this.#write(token, 'out');
  }

  /** The service does not count its player. */
  forgetPending(token: string): void {
    fs.rmSync(this.#file(token, 'pending'), { force: true });
  }

  /** The slot is free, or another gate has to free it. */
  forgetLeft(token: string): void {
    for (const folder of [this.#folders.out, ...this.#left]) {
      fs.rmSync(join(folder, hashOf(token)), { force: true });
    }
  }

  /**
   * Whether any gate has a whole file of the token in this state. A gate cannot use a file that was
   * cut off.
   */
  has(token: string, state: State): boolean {
    const hash = hashOf(token);
    return fs
      .readdirSync(this.#folder)
      .some(name => name.endsWith(`.${state}`) && mayHold(join(this.#folder, name, hash), token));
  }

  /** The names of the files that earlier processes of this gate have left. */
  leftNames(): readonly string[] {
    const names = new Set<string>();
    for (const folder of this.#left.filter(fs.existsSync)) {
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
    for (const folder of this.#left) {
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
    for (const folder of this.#left) {
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
    const unfinished = join(this.#folders[state], UNFINISHED + hashOf(token));
    fs.writeFileSync(unfinished, token, { mode: 0o600 });
    fs.renameSync(unfinished, this.#file(token, state));
  }

  #file(token: string, state: State): string {
    return join(this.#folders[state], hashOf(token));
  }

  /** The names of the folders that processes of this gate have. */
  #namesOf(state: State): readonly string[] {
    return fs.readdirSync(this.#folder).filter(name => {
      const groups = STATE_FOLDER.exec(name)?.groups;
      return groups?.gate === this.#gate && groups.state === state;
    });
  }

  #newPath(state: State): string {
    return this.#path(`${this.#gate}.${randomBytes(6).toString('hex')}.${state}`);
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
