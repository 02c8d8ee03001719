import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  first,
  tap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { whyNotConnected, type MatchmakerApi } from '../../../client/index.js';
import {
  aFunction,
  checkOptions,
  guarded,
  InputError,
  schedulerLike,
  TransportError,
  type Guard,
  type Options,
} from '../../../error/index.js';
import { callClient } from '../call-hook.js';
import { isUnissuedToken } from '../unissued-token.js';
import { GateReport, type GateLogEntry } from '../report/index.js';
import { aClientWith, type LobbyGateConfig } from '../lobby-gate-config.js';
import { freeEarlierSlots } from './free-earlier-slots.js';
import { SlotFolder } from './slot-folder.js';
import { completeIfFreed, lateConfirmation, slotOutcome } from './slot-outcome.js';

/** The options of `slotFiles`. */
export interface SlotFilesConfig {
  /** A client with the lobby's own token. */
  readonly client: {
    readonly matchmaker: {
      readonly players: Pick<MatchmakerApi['players'], 'connected' | 'disconnected'> & {
        readonly isServiceKnown?: boolean | undefined;
        readonly unprovedBy?: string | undefined;
      };
    };
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

  const release = createRelease(players, files, scheduler);
  const freeSlot = (token: string): Observable<unknown> =>
    defer(() => {
      // The other process frees all slots of this one.
      if (isReplaced()) return EMPTY;
      files.leave(token);
      return release(token);
    });
  const refuseIfReplaced = (): void => {
    if (isReplaced()) throw replacedError(config.gate);
  };
  freeEarlierSlots(files, freeSlot, report, scheduler);
  const playersOfGate = {
    connected: createConfirm(players, files, refuseIfReplaced),
    get isServiceKnown() {
      return players.isServiceKnown;
    },
    get unprovedBy() {
      return players.unprovedBy;
    },
  };
  return { client: { matchmaker: { players: playersOfGate } }, freeSlot, freeSlotTimeout: Infinity };
}

/** Confirms a token with the service, and keeps its state in a file from before it is asked. */
function createConfirm(
  players: Players,
  files: SlotFolder,
  refuseIfReplaced: () => void,
): Players['connected'] {
  const connected = (input: Parameters<Players['connected']>[0]): Observable<unknown> =>
    defer(() => {
      refuseIfReplaced();
      const answer$ = callClient('connected', () => players.connected(input));
      if (isUnissuedToken(input)) return answer$;
      const { player_token: token } = input;
      const isNew = files.addPending(token);
      const forgetIfNew = () => {
        if (isNew) files.forgetPending(token);
      };
      try {
        // This looks again, since the other process may have listed the files before.
        refuseIfReplaced();
        if (files.isLeft(token)) throw slotNotFree();
      } catch (error) {
        // Nothing is sent, so that the gate has nothing to free.
        forgetIfNew();
        throw error;
      }
      return answer$.pipe(
        first(),
        catchError((error: unknown) => {
          if (whyNotConnected(error).outcome !== 'unknown') forgetIfNew();
          throw error;
        }),
        tap(() => {
          // The file stays: the other process frees the slot.
          refuseIfReplaced();
          files.confirm(token);
        }),
      );
    });
  return connected as Players['connected'];
}

/** The player may come later. Then the service itself says whether they may be in. */
const slotNotFree = () =>
  new TransportError('not_sent', 'the slot is being freed', { method: 'POST', url: 'players/connected' });

type Players = SlotFilesConfig['client']['matchmaker']['players'];

/** Frees the slot of a token that this gate admits nobody with, unless another gate has to. */
function createRelease(players: Players, files: SlotFolder, scheduler: SchedulerLike): SlotFiles['freeSlot'] {
  /** Whether the service may yet count a player, by tokens whose slots are being freed. */
  const mayStillConnect = new Map<string, () => boolean>();
  return token => {
    const forget = () => {
      files.forgetLeft(token);
      mayStillConnect.delete(token);
    };
    // This looks after the file has been moved, and `connected` after it has written its file. So
    // at least one of two gates sees the other.
    if (files.has(token, 'in')) return EMPTY.pipe(tap({ complete: forget }));
    if (files.has(token, 'pending')) throw new PendingElsewhereError();
    const isLate = mayStillConnect.get(token) ?? lateConfirmation(scheduler);
    mayStillConnect.set(token, isLate);
    return callClient('disconnected', () => players.disconnected({ player_token: token })).pipe(
      catchError((error: unknown) => {
        const isDoubtful = slotOutcome(error) === 'freed' && files.isUnresolved(token) && isLate();
        throw isDoubtful ? new MayStillConnectError() : error;
      }),
      completeIfFreed,
      tap({ complete: forget }),
    );
  };
}

/**
 * Another gate may admit the player, or not. Until that is known, the slot is neither freed nor
 * forgotten.
 */
class PendingElsewhereError extends Error {
  override readonly name = 'PendingElsewhereError';
}

/** The service does not count the player yet. It may still be working on their `connected`. */
class MayStillConnectError extends Error {
  override readonly name = 'MayStillConnectError';
}

const replacedError = (gate: string) =>
  new InputError(
    'gate',
    'a name that no other process has',
    `${JSON.stringify(gate)}, with which another process has started`,
  );
