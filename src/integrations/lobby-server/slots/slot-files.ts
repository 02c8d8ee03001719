import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { asyncScheduler, catchError, concat, defer, EMPTY, ignoreElements, tap, throwError } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { whyNotConnected, type MatchmakerApi } from '../../../client/index.js';
import { checkOptions, isRetryable, schedulerLike, type Guard, type Options } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import { RETRIES } from './free-slot.js';
import { aClientWith, type LobbyGateConfig } from '../lobby-gate-config.js';

/** The options of `slotFiles`. */
export interface SlotFilesConfig {
  /** A client with the lobby's own token. */
  readonly client: {
    readonly matchmaker: { readonly players: Pick<MatchmakerApi['players'], 'connected' | 'disconnected'> };
  };
  /** A folder that all gates of the lobby see, and no one else: its files contain tokens. Made if it is not there. */
  readonly folder: string;
  /** The name of this gate: the same whenever its process starts again, and no other's at any time. Default: the host's. */
  readonly gate?: string | undefined;
  /** The source of time. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** Two options of `lobbyGate`. */
export interface SlotFiles extends Pick<LobbyGateConfig, 'client'> {
  readonly freeSlot: (player_token: string) => Observable<unknown>;
}

/** It is a part of the names of files: `<hash of the token>.<gate>.<state>`. */
const gateName: Guard<string> = {
  name: 'a name of letters, digits, - and _',
  is: (u): u is string => typeof u === 'string' && /^[\w-]+$/.test(u),
};

const aFolder: Guard<string> = {
  name: 'the path of a folder',
  is: (u): u is string => typeof u === 'string' && u !== '',
};

const OPTIONS: Options<SlotFilesConfig> = {
  client: aClientWith('connected', 'disconnected'),
  folder: aFolder,
  gate: gateName,
  scheduler: schedulerLike,
};

/** A token may have been let in by a gate (`in`), or nobody can come in with it there any more, and its slot is being freed (`out`). */
type State = 'in' | 'out';

/**
 * The `client` and `freeSlot` of a gate that shares its lobby with other gates, or may be killed: what it knows of its players is in files
 * that all gates see. A slot is freed by the last gate that may have let the player in; what a killed process has left is freed
 * when this is called again, in ten attempts, and after that at the next call.
 *
 * Throws an `InputError` if an option is invalid, and the error of `node:fs` if the folder cannot be made or read. If it cannot be written
 * later, players are refused with `outcome_unknown`.
 *
 * @example
 * const slots = slotFiles({ client, folder: '/var/lib/lobby/players' });
 * lobbyGate({ server, ...slots }).subscribe(player => player.send('Welcome.'));
 */
export function slotFiles(config: SlotFilesConfig): SlotFiles {
  checkOptions(config, OPTIONS, '', ['client', 'folder']);
  const { client, folder, gate = hostname().replace(/[^\w-]/g, '-'), scheduler = asyncScheduler } = config;
  const { players } = client.matchmaker;
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const fileOf = (token: string, state: State) => join(folder, `${hashOf(token)}.${gate}.${state}`);
  const isAnywhere = (token: string, state: State) =>
    readdirSync(folder).some(name => name.startsWith(hashOf(token)) && name.endsWith(`.${state}`));
  const freeSlot = (token: string): Observable<unknown> =>
    defer(() => {
      const file = fileOf(token, 'in');
      const out = fileOf(token, 'out');
      const forget = () => rmSync(out, { force: true });
      if (existsSync(file)) renameSync(file, out);
      // Looked for after the renaming, as `connected` does after writing: one of two gates sees the other.
      if (isAnywhere(token, 'in')) return EMPTY.pipe(tap({ complete: forget }));
      const error = (error: unknown) => (isRetryable(error) ? undefined : forget());
      return players.disconnected({ player_token: token }).pipe(tap({ complete: forget, error }));
    });
  const connected: MatchmakerApi['players']['connected'] = input =>
    defer(() => {
      const { player_token: token } = input;
      const file = fileOf(token, 'in');
      const isNew = !existsSync(file);
      writeFileSync(file, token, { mode: 0o600 });
      // The gate does not learn what becomes of it, and frees it later.
      if (isAnywhere(token, 'out')) throw new Error('the slot is being freed');
      return players.connected(input).pipe(
        catchError((error: unknown) => {
          const failed$ = throwError(() => error);
          const why = whyNotConnected(error);
          if (!isNew || why.outcome === 'unknown') return failed$;
          // The player may have left another gate just now, which has left the slot to this one.
          if (why.outcome === 'refused' && why.reason === 'already_connected')
            return concat(freeSlot(token).pipe(ignoreElements()), failed$);
          rmSync(file);
          return failed$;
        }),
      );
    });
  const isOurs = (name: string) => /^\.(.+)\.(?:in|out)$/.exec(name.slice(HASH_LENGTH))?.[1] === gate;
  const left = readdirSync(folder).filter(isOurs);
  for (const token of new Set(left.map(name => readFileSync(join(folder, name), 'utf8')))) {
    freeSlot(token)
      .pipe(backoff({ retries: RETRIES, scheduler }))
      .subscribe({ error: () => undefined });
  }
  return { client: { matchmaker: { players: { connected } } }, freeSlot };
}

const HASH_LENGTH = 64;

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
