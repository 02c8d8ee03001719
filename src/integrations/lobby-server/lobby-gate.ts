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
  timer,
} from 'rxjs';
import { isReturnTicket, AdmittedPlayers, TokenConfirmation } from './admission/index.js';
import { gateStatsOf, type GateStats } from './gate-stats.js';
import { resolveGateConfig, type GateSettings, type LobbyGateConfig } from './lobby-gate-config.js';
import type { PlayerSocket } from './player-socket.js';
import { createGateLimits } from './fair-limit.js';
import { REFUSALS } from './refusal.js';
import { createFreeSlot } from './slots/index.js';
import {
  closeOf,
  createReadToken,
  createRequestPolicy,
  createVisitors,
  upgrades,
  type Upgrade,
  type Visitor,
} from './upgrade/index.js';

/** A gate emits the sockets of the players that it admits, and has figures. */
export type LobbyGate = Observable<PlayerSocket> & {
  /**
   * The figures of the gate. Emits the current ones at once, then once a second if they have
   * changed. It is cold. It never fails, and completes with the last figures when the server emits
   * `close`. It does not start the gate. Subscribe to the gate itself for that.
   */
  readonly stats$: Observable<GateStats>;
};

/**
 * The WebSocket gate of a lobby server. It emits a player's socket once `players.connected` has
 * answered OK for their token, and not before (docs/the-service.md, 4.2). All other clients are
 * refused. Before the upgrade they get an HTTP status with the reason as the body, after it a close
 * code with the reason (docs/gate.md lists them). Messages of refused clients never reach you.
 *
 * The gate is shared. It adds one listener to the server, regardless of the number of subscribers.
 * It never fails. It completes after `drain$` has emitted, or the server `close`. Before that, all
 * players have left and their slots have been freed, or `drainTimeout` is over. Unsubscribing only
 * stops admission. Clients that are not in yet are refused, and players who are away have left. The
 * others stay, and `freeSlot` is still called.
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
  const settings = resolveGateConfig(config);
  const limits = createGateLimits(settings);
  const isOpen$ = new BehaviorSubject(false);
  const closed$ = isOpen$.pipe(filter(isOpen => !isOpen));
  const isOverdue$ = new BehaviorSubject(false);
  const meet = createVisitors(settings);
  const policy = createRequestPolicy(settings);
  const readToken = createReadToken(settings, limits);
  const confirmation = new TokenConfirmation(settings, limits, createFreeSlot(settings, isOverdue$), closed$);
  const players = new AdmittedPlayers(settings, confirmation, closed$);
  const parts = { settings, confirmation, players };

  const receive = (upgrade: Upgrade): Observable<PlayerSocket> => {
    const visitor = meet(upgrade);
    const refusal =
      visitor.refusal ??
      policy.whyNotOrigin(upgrade.request) ??
      policy.whyNotAddress(upgrade, visitor.address);
    if (refusal) return visitor.refuse(refusal);
    const player$ = readToken(visitor, upgrade.request).pipe(
      mergeMap(token => {
        if (typeof token !== 'string') return visitor.refuse(token);
        return isReturnTicket(token) ? players.readmit(visitor, token) : admitted(visitor, token, parts);
      }),
    );
    return untilGateCloses(visitor, player$);
  };
  const drained$ = defer(() => {
    const late$ = timer(settings.drainTimeout, settings.scheduler).pipe(tap(() => isOverdue$.next(true)));
    const end$ = reported(merge(confirmation.empty$, late$).pipe(take(1)), confirmation, settings);
    isOpen$.next(false);
    players.closeAll(REFUSALS.gateClosed);
    const refused$ = upgrades(settings).pipe(mergeMap(upgrade => meet(upgrade).refuse(REFUSALS.gateClosed)));
    return refused$.pipe(takeUntil(end$));
  });
  let isDrained = false;
  const drain$ = drainOf(settings).pipe(
    tap(() => {
      isDrained = true;
    }),
  );
  const open$ = upgrades(settings).pipe(
    mergeMap(receive),
    takeUntil(merge(drain$, closeOf(settings.server))),
  );
  const gate$ = concat(
    defer(() => (isDrained ? EMPTY : open$)),
    drained$,
  ).pipe(
    tap({
      subscribe: () => {
        isOverdue$.next(false);
        isOpen$.next(true);
      },
    }),
    finalize(() => isOpen$.next(false)),
    share(),
  );
  return Object.assign(gate$, { stats$: gateStatsOf(settings, limits, players) });
}

interface Parts {
  readonly settings: GateSettings;
  readonly confirmation: TokenConfirmation;
  readonly players: AdmittedPlayers;
}

/**
 * Refuses the visitor once the gate is unsubscribed from. Not by `finalize`, which is too late if a
 * hook unsubscribes before it returns.
 */
function untilGateCloses(visitor: Visitor, player$: Observable<PlayerSocket>): Observable<PlayerSocket> {
  return new Observable(subscriber => {
    subscriber.add(() => visitor.refuse(REFUSALS.gateClosed));
    subscriber.add(player$.subscribe(subscriber));
  });
}

/**
 * Emits the player if the service confirms the token, and completes. Refuses the visitor otherwise.
 */
function admitted(visitor: Visitor, token: string, { settings, confirmation, players }: Parts) {
  return new Observable<PlayerSocket>(subscriber => {
    visitor.wait();
    // Not ended with the subscriber. A player who is confirmed after they have left has a slot,
    // which must be freed.
    confirmation.confirm(token, visitor.address).subscribe(refusal => {
      if (refusal) visitor.refuse(refusal);
      const player = refusal ? undefined : players.admit(visitor, token);
      if (player) {
        subscriber.next(player);
        settings.report.onAdmitted(player.address);
      }
      subscriber.complete();
    });
  });
}

/**
 * Reports at the end how many slots have been freed, and how many have not. Those of the tokens
 * that are still in use have not.
 */
function reported(end$: Observable<unknown>, tokens: TokenConfirmation, { report }: GateSettings) {
  const { freed, notFreed } = report;
  const failed = () => report.notFreed - notFreed + tokens.size;
  return end$.pipe(tap(() => report.onDrained(report.freed - freed, failed())));
}

/** Emits when the gate is to be drained. An Observable that fails does not drain it. */
function drainOf({ drain$, report }: GateSettings): Observable<unknown> {
  return from(drain$).pipe(
    take(1),
    catchError((error: unknown) => {
      report.onHookFailed('drain$', error);
      return NEVER;
    }),
  );
}
