import {
  BehaviorSubject,
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  finalize,
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
import type { PresentedToken } from '../../player/index.js';
import { flattened } from '../../stream/index.js';
import { AdmittedPlayers, TokenConfirmation } from './admission/index.js';
import { gateStatsOf, REFUSALS, type GateStats } from './report/index.js';
import { resolveGateConfig, type GateSettings, type LobbyGateConfig } from './lobby-gate-config.js';
import type { PlayerSocket } from './player-socket.js';
import { createGateLimits } from './limits/index.js';
import { createFreeSlot } from './slots/index.js';
import {
  closeOf,
  createReadToken,
  createRequestPolicy,
  createVisitors,
  upgrades,
  type ReadToken,
  type RequestPolicy,
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
  const gate = new Gate(resolveGateConfig(config));
  return Object.assign(gate.players$(), { stats$: gate.stats$ });
}

/** The parts of a gate, from the upgrade requests to the players. */
class Gate {
  readonly stats$: Observable<GateStats>;
  readonly #settings: GateSettings;
  readonly #meet: (upgrade: Upgrade) => Visitor;
  readonly #policy: RequestPolicy;
  readonly #readToken: ReadToken;
  readonly #confirmation: TokenConfirmation;
  readonly #players: AdmittedPlayers;
  /** Whether clients may be admitted. */
  readonly #isOpen$ = new BehaviorSubject(false);
  /** Whether draining has taken longer than `drainTimeout`. */
  readonly #isOverdue$ = new BehaviorSubject(false);
  #isDrained = false;

  constructor(settings: GateSettings) {
    const limits = createGateLimits(settings);
    const freeSlot = createFreeSlot(settings, this.#isOverdue$);
    const closed$ = this.#isOpen$.pipe(filter(isOpen => !isOpen));
    this.#settings = settings;
    this.#meet = createVisitors(settings);
    this.#policy = createRequestPolicy(settings);
    this.#readToken = createReadToken(settings, limits);
    this.#confirmation = new TokenConfirmation(settings, limits, freeSlot, closed$);
    this.#players = new AdmittedPlayers(settings, this.#confirmation, closed$);
    const { report, server } = settings;
    this.stats$ = gateStatsOf({ report, limits, players: this.#players }, closeOf(server));
  }

  /** The players that the gate admits, until it is drained or the server closes. */
  players$(): Observable<PlayerSocket> {
    const { server } = this.#settings;
    const drain$ = drainOf(this.#settings).pipe(
      tap(() => {
        this.#isDrained = true;
      }),
    );
    const admitted$ = upgrades(this.#settings).pipe(
      mergeMap(upgrade => this.#receive(upgrade)),
      takeUntil(merge(drain$, closeOf(server))),
    );
    return concat(
      defer(() => (this.#isDrained ? EMPTY : admitted$)),
      defer(() => this.#drain()),
    ).pipe(
      tap({
        subscribe: () => {
          this.#isOverdue$.next(false);
          this.#isOpen$.next(true);
        },
      }),
      finalize(() => this.#isOpen$.next(false)),
      share(),
    );
  }

  /** Emits the player of an upgrade request, or refuses the request, and completes. */
  #receive(upgrade: Upgrade): Observable<PlayerSocket> {
    const visitor = this.#meet(upgrade);
    const refusal =
      visitor.refusal ??
      this.#policy.whyNotOrigin(upgrade.request) ??
      this.#policy.whyNotAddress(upgrade, visitor.address);
    if (refusal) return visitor.refuse(refusal);
    const player$ = this.#readToken(visitor, upgrade.request).pipe(
      mergeMap(presented => {
        if (!('token' in presented)) return visitor.refuse(presented);
        const isReturn = this.#players.isReturn(presented);
        return isReturn ? this.#players.readmit(visitor, presented) : this.#admit(visitor, presented);
      }),
    );
    return untilGateCloses(player$, () => visitor.refuse(REFUSALS.gateClosed));
  }

  /**
   * Emits the player if the service confirms the token, and completes. Refuses the visitor
   * otherwise.
   */
  #admit(visitor: Visitor, presented: PresentedToken): Observable<PlayerSocket> {
    return new Observable(subscriber => {
      visitor.wait();
      // Not ended with the subscriber. A player who is confirmed after they have left has a slot,
      // which must be freed.
      this.#confirmation.confirm(presented, visitor.address).subscribe(refusal => {
        if (refusal) visitor.refuse(refusal);
        const player = refusal ? undefined : this.#players.admit(visitor, presented);
        if (player) {
          subscriber.next(player);
          this.#settings.report.onAdmitted(player.address);
          player.watchConnection();
        }
        subscriber.complete();
      });
    });
  }

  /**
   * Refuses all clients, and closes every player. Completes once all slots are free, or
   * `drainTimeout` is over.
   */
  #drain(): Observable<never> {
    const { drainTimeout, scheduler } = this.#settings;
    const late$ = timer(drainTimeout, scheduler).pipe(tap(() => this.#isOverdue$.next(true)));
    const end$ = this.#reported(merge(this.#confirmation.empty$, late$).pipe(take(1)));
    this.#isOpen$.next(false);
    this.#players.closeAll(REFUSALS.gateClosed);
    return upgrades(this.#settings).pipe(
      mergeMap(upgrade => this.#meet(upgrade).refuse(REFUSALS.gateClosed)),
      takeUntil(end$),
    );
  }

  /**
   * Reports at the end how many slots have been freed, and how many have not. Those of the tokens
   * that are still in use have not.
   */
  #reported(end$: Observable<unknown>): Observable<unknown> {
    const { report } = this.#settings;
    const { freed, notFreed } = report;
    const failed = () => report.notFreed - notFreed + this.#confirmation.size;
    return end$.pipe(tap(() => report.onDrained(report.freed - freed, failed())));
  }
}

/**
 * Calls `refuse` when the gate is unsubscribed from. `finalize` would be too late if a hook
 * unsubscribes before it returns. A waiting client keeps `refuse` in memory, so `refuse` must use
 * neither the request nor `player$`.
 */
function untilGateCloses<T>(player$: Observable<T>, refuse: () => void): Observable<T> {
  return new Observable(subscriber => {
    subscriber.add(refuse);
    subscriber.add(player$.subscribe(subscriber));
  });
}

/** Emits when the gate is to be drained. An Observable that fails does not drain it. */
function drainOf({ drain$, report }: GateSettings): Observable<unknown> {
  return flattened(drain$).pipe(
    take(1),
    catchError((error: unknown) => {
      report.onHookFailed('drain$', error);
      return NEVER;
    }),
  );
}
