import {
  BehaviorSubject,
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  finalize,
  from,
  merge,
  mergeMap,
  NEVER,
  Observable,
  share,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import {
  createFreeSlot,
  createSeats,
  createTokenConfirmation,
  isReturnTicket,
  type Seats,
  type TokenConfirmation,
} from './admission/index.js';
import { hookFailed } from './gate-log-entry.js';
import { createGateCounter, type GateStats } from './gate-stats.js';
import { resolveGateConfig, type GateSettings, type LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { createGatePlaces } from './places.js';
import { REFUSALS } from './refusal.js';
import {
  closeOf,
  createReadToken,
  createRequestPolicy,
  createVisitors,
  upgrades,
  type Upgrade,
  type Visitor,
} from './upgrade/index.js';

/** A gate: the sockets of the players whom it has admitted, and its figures. */
export type LobbyGate = Observable<LobbySocket> & {
  /**
   * The figures of the gate: the present ones at once, then once a second if they have changed. Cold; it never errors, and
   * completes when the server emits `close`, with the last figures. It starts no gate: subscribe to the gate itself for that.
   */
  readonly stats$: Observable<GateStats>;
};

/**
 * The WebSocket gate of a lobby server: emits a player's socket once `players.connected` has answered OK for their token, and
 * not before (docs/the-service.md, 4.2). Everyone else is refused: before the upgrade with an HTTP status and the reason as
 * the body, after it with a close code and the reason; docs/gate.md lists them. Messages of refused clients never reach you.
 *
 * The gate is shared: it adds one listener to the server, regardless of the number of subscribers. It never errors. It completes
 * after `drain$` has emitted, or the server `close`, once all players are gone and their slots have been freed. Unsubscribing only stops
 * admission: clients that are not in yet are refused, players who are away are gone, the others stay, and `freeSlot` is still called.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const server = createServer().listen(8080);
 * lobbyGate({ server, client }).subscribe(player => {
 *   player.message$.subscribe(message => console.log(message));
 *   player.send('Welcome.');
 * });
 */
export function lobbyGate(config: LobbyGateConfig): LobbyGate {
  const resolved = resolveGateConfig(config);
  const places = createGatePlaces(resolved);
  const { count, stats, stats$ } = createGateCounter(resolved, places);
  const settings: GateSettings = {
    ...resolved,
    log: entry => {
      count(entry);
      resolved.log(entry);
    },
  };
  const isOpen$ = new BehaviorSubject(false);
  const closed$ = isOpen$.pipe(filter(isOpen => !isOpen));
  const meet = createVisitors(settings);
  const policy = createRequestPolicy(settings);
  const readToken = createReadToken(settings, places);
  const confirmation = createTokenConfirmation(settings, places, createFreeSlot(settings), closed$);
  const seats = createSeats(settings, confirmation.release, closed$);
  const parts = { settings, confirmation, seats };

  const receive = (upgrade: Upgrade): Observable<LobbySocket> => {
    const visitor = meet(upgrade);
    const refusal =
      visitor.refusal ??
      policy.whyNotOrigin(upgrade.request) ??
      policy.whyNotAddress(upgrade, visitor.address);
    if (refusal) return visitor.refuse(refusal);
    return readToken(visitor, upgrade.request).pipe(
      mergeMap(token => {
        if (typeof token !== 'string') return visitor.refuse(token);
        return isReturnTicket(token) ? seats.takeAgain(visitor, token) : admitted(visitor, token, parts);
      }),
      finalize(() => visitor.refuse(REFUSALS.gateClosed)),
    );
  };
  const drained$ = defer(() => {
    const idle$ = logged(confirmation.idle$, stats, settings);
    isOpen$.next(false);
    seats.clear(REFUSALS.gateClosed);
    const refused$ = upgrades(settings).pipe(mergeMap(upgrade => meet(upgrade).refuse(REFUSALS.gateClosed)));
    return refused$.pipe(takeUntil(idle$));
  });
  let isDrained = false;
  const drain$ = drainOf(settings).pipe(tap(() => (isDrained = true)));
  const open$ = upgrades(settings).pipe(
    mergeMap(receive),
    takeUntil(merge(drain$, closeOf(settings.server))),
  );
  const gate$ = concat(
    defer(() => (isDrained ? EMPTY : open$)),
    drained$,
  ).pipe(
    tap({ subscribe: () => isOpen$.next(true) }),
    finalize(() => isOpen$.next(false)),
    share(),
  );
  return Object.assign(gate$, { stats$ });
}

interface Parts {
  readonly settings: GateSettings;
  readonly confirmation: TokenConfirmation;
  readonly seats: Seats;
}

/** Emits the player if the service confirms the token, and completes; refuses the visitor otherwise. */
function admitted(visitor: Visitor, token: string, { settings, confirmation, seats }: Parts) {
  return new Observable<LobbySocket>(subscriber => {
    visitor.wait();
    // Not ended with the subscriber: a player who is confirmed after they have left has a slot, which must be freed.
    confirmation.confirm(token, visitor.address).subscribe(refusal => {
      const why = refusal ?? (subscriber.closed ? REFUSALS.gateClosed : undefined);
      if (why) visitor.refuse(why);
      const player = refusal ? undefined : seats.take(visitor, token);
      if (player) {
        subscriber.next(player);
        settings.log({ kind: 'admitted', at: settings.scheduler.now(), address: player.address });
      }
      subscriber.complete();
    });
  });
}

/** Logs how many slots have been freed, and how many could not be, when no token is in use any more. */
function logged(idle$: Observable<unknown>, stats: () => GateStats, { log, scheduler }: GateSettings) {
  const before = stats();
  const logDrained = () => {
    const { freed, notFreed } = stats();
    const figures = { freed: freed - before.freed, failed: notFreed - before.notFreed };
    log({ kind: 'drained', at: scheduler.now(), ...figures });
  };
  return idle$.pipe(tap(logDrained));
}

/** Emits when the gate is to be drained. An Observable that fails is no word to drain it. */
function drainOf({ drain$, log, scheduler }: GateSettings): Observable<unknown> {
  return from(drain$).pipe(
    take(1),
    catchError((error: unknown) => {
      log(hookFailed('drain$', error, scheduler.now()));
      return NEVER;
    }),
  );
}
