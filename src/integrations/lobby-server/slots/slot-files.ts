import {
  asyncScheduler,
  BehaviorSubject,
  bufferCount,
  catchError,
  concatMap,
  defer,
  EMPTY,
  from,
  map,
  mergeMap,
  tap,
  timer,
  type Observable,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { whyNotConnected, type MatchmakerApi } from '../../../client/index.js';
import {
  aFunction,
  checkOptions,
  guarded,
  InputError,
  schedulerLike,
  type Guard,
  type Options,
} from '../../../error/index.js';
import { GateReport, type GateLogEntry } from '../report/index.js';
import { aClientWith, type LobbyGateConfig } from '../lobby-gate-config.js';
import { createFreeSlot } from './free-slot.js';
import { SlotFolder } from './slot-folder.js';
import { completeIfFreed } from './slot-outcome.js';

/** The options of `slotFiles`. */
export interface SlotFilesConfig {
  /** A client with the lobby's own token. */
  readonly client: {
    readonly matchmaker: { readonly players: Pick<MatchmakerApi['players'], 'connected' | 'disconnected'> };
  };
  /**
   * A folder that only the gates of the lobby can read, since its files contain tokens. It is made
   * if it is not there.
   */
  readonly folder: string;
  /**
   * The name of this gate. It stays the same when the process starts again, and no other gate ever
   * has it. Not the host's name, which is another one in each new container. If a second process
   * starts with the name while the first one runs, the first one refuses everybody from then on.
   */
  readonly gate: string;
  /**
   * Called with the outcome of each slot that an earlier process has left, and with files that are
   * set aside. Errors are swallowed.
   */
  readonly log?: (entry: GateLogEntry) => void;
  /** The source of time. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** Three options of `lobbyGate`. */
export interface SlotFiles extends Pick<LobbyGateConfig, 'client'> {
  readonly freeSlot: (player_token: string) => Observable<unknown>;
  /** `Infinity`, since a file is kept until its slot is free. */
  readonly freeSlotTimeout: number;
}

const gateName: Guard<string> = {
  name: 'a name of letters, digits, - and _ that no other process has, the same after each restart',
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
  log: aFunction,
  scheduler: schedulerLike,
};

/**
 * The `client` and `freeSlot` of a gate that shares its lobby with other gates, or may be killed.
 * The state of its players is in files that all gates see. A slot is freed by the last gate that
 * may have admitted the player. The slots of a killed process are freed when this is called again.
 * A gate tries to free a slot while its process lives, until the service itself says that the slot
 * is free.
 *
 * Throws an `InputError` if an option is invalid, and the error of `node:fs` if the folder cannot
 * be made, read or written. If it cannot be written later, players are refused with
 * `outcome_unknown`.
 *
 * @example
 * const slots = slotFiles({ client, folder: '/var/lib/lobby/players', gate: 'lobby-0' });
 * lobbyGate({ server, ...slots }).subscribe(player => player.send('Welcome.'));
 */
export function slotFiles(config: SlotFilesConfig): SlotFiles {
  checkOptions(config, OPTIONS, '', ['client', 'folder', 'gate']);
  const { client, scheduler = asyncScheduler } = config;
  const { players } = client.matchmaker;
  const report = new GateReport(guarded(config.log), scheduler);
  const files = new SlotFolder(config.folder, config.gate);
  let wasReplaced = false;
  const isReplaced = (): boolean => {
    if (!wasReplaced && files.isReplaced) {
      wasReplaced = true;
      report.onHookFailed('slotFiles', replacedError(config.gate));
    }
    return wasReplaced;
  };

  const release = (token: string): Observable<unknown> => {
    const forget = () => files.forgetLeft(token);
    // Looked for after the file has been moved. `connected` looks after it has written its file. So
    // at least one of two gates sees the other.
    if (files.has(token, 'in')) return EMPTY.pipe(tap({ complete: forget }));
    if (files.has(token, 'pending')) throw new PendingElsewhereError();
    return players.disconnected({ player_token: token }).pipe(completeIfFreed, tap({ complete: forget }));
  };
  const freeSlot = (token: string): Observable<unknown> =>
    defer(() => {
      // The other process frees all slots of this one.
      if (isReplaced()) return EMPTY;
      files.leave(token);
      return release(token);
    });
  const connected: MatchmakerApi['players']['connected'] = input =>
    defer(() => {
      if (isReplaced()) throw replacedError(config.gate);
      const { player_token: token } = input;
      const isNew = files.addPending(token);
      // The gate does not learn of the outcome, and frees the slot later.
      if (files.has(token, 'out')) throw new Error('the slot is being freed');
      return players.connected(input).pipe(
        tap(() => files.confirm(token)),
        catchError((error: unknown) => {
          if (isNew && whyNotConnected(error).outcome !== 'unknown') files.forgetPending(token);
          throw error;
        }),
      );
    });

  const free = createFreeSlot(
    { freeSlot: release, freeSlotTimeout: Infinity, report, scheduler: inBackground(scheduler) },
    new BehaviorSubject(false),
  );
  leftNames(files, scheduler).subscribe(name => {
    const token = files.readLeft(name, file => report.onSetAside(file));
    if (token === undefined) files.removeEmpty();
    else free(token, 'left', () => files.removeEmpty());
  });
  return { client: { matchmaker: { players: { connected } } }, freeSlot, freeSlotTimeout: Infinity };
}

/** How many files are read at a time at the start, so that other work does not wait for long. */
const FILES_AT_ONCE = 8;

/** The names of the files that an earlier process has left, a few at a time. */
function leftNames(files: SlotFolder, scheduler: SchedulerLike): Observable<string> {
  return from(files.leftNames()).pipe(
    bufferCount(FILES_AT_ONCE),
    concatMap(names => timer(0, scheduler).pipe(map(() => names))),
    mergeMap(names => names),
  );
}

/**
 * A scheduler whose timers do not keep a process running that has nothing else to do. The remaining
 * slots are freed at the next start.
 */
function inBackground(scheduler: SchedulerLike): SchedulerLike {
  const schedule: Schedule = (work, delay, state) => {
    const action = scheduler.schedule(work, delay, state);
    (action as { readonly id?: Partial<NodeJS.Timeout> }).id?.unref?.();
    return action;
  };
  // It inherits, so that it still counts as one that runs in real time.
  return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
}

type Schedule = <T>(
  work: (this: SchedulerAction<T>, state?: T) => void,
  delay?: number,
  state?: T,
) => Subscription;

/**
 * Another gate may admit the player, or not. Until that is known, the slot is neither freed nor
 * forgotten.
 */
class PendingElsewhereError extends Error {
  override readonly name = 'PendingElsewhereError';
}

const replacedError = (gate: string) =>
  new InputError(
    'gate',
    'a name that no other process has',
    `${JSON.stringify(gate)}, with which another process has started`,
  );
