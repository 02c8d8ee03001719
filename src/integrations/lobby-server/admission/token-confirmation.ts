import {
  catchError,
  defer,
  filter,
  finalize,
  first,
  map,
  mergeMap,
  of,
  race,
  startWith,
  Subject,
  Subscription,
  take,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { PresentedToken } from '../../../player/index.js';
import { callClient } from '../call-hook.js';
import { refusalFor, REFUSALS, type FreeSlotReason, type Refusal } from '../report/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { Countdown, type GateLimits } from '../limits/index.js';
import type { FreeSlot } from '../slots/index.js';
import type { Player } from './player.js';
import { hashOfPresented } from './return-ticket.js';
import { ServiceProbe } from './service-probe.js';

/** How long a player may take to come again after the service's answer was lost, in ms. */
const RETRY_WINDOW_MS = 10_000;

/** The state of a token at the gate. A token without a state may be confirmed. */
type TokenState =
  /** `hash` is that of what the client presents. */
  | { readonly kind: 'confirming'; readonly hash: string }
  | { readonly kind: 'in'; readonly player: Player }
  /** Its slot is being freed, and no player can be admitted with it. */
  | { readonly kind: 'freeing'; readonly refusal: Refusal }
  /**
   * The service's answer was lost. The player may come again until the window closes. `giveBack`
   * gives its part of the limit back.
   */
  | { readonly kind: 'unresolved'; readonly window: Subscription; readonly giveBack: () => void };

/**
 * Confirms tokens with the service, and keeps track of those in use, with their players. `closed$`
 * emits once no player can come again.
 */
export class TokenConfirmation {
  readonly #tokens = new Map<string, TokenState>();
  readonly #settled$ = new Subject<void>();
  readonly #pause: Countdown;
  readonly #probe: ServiceProbe;

  constructor(
    readonly settings: GateSettings,
    readonly limits: GateLimits,
    readonly freeSlot: FreeSlot,
    readonly closed$: Observable<unknown>,
  ) {
    this.#pause = new Countdown(settings.scheduler);
    this.#probe = new ServiceProbe(settings);
  }

  /**
   * Confirms a token that came from an address. Emits the refusal, or `undefined` for OK, and
   * completes. After OK, its player has to be admitted, or the token released. The service is not
   * asked about a token that is being confirmed or in use, nor while it has asked not to be asked.
   */
  confirm(presented: PresentedToken, address: string): Observable<Refusal | undefined> {
    return defer(() => {
      const { token } = presented;
      const state = this.#tokens.get(token);
      switch (state?.kind) {
        case 'confirming':
          return of(isSameClient(presented, state.hash) ? REFUSALS.busy : REFUSALS.alreadyConnected);
        case 'in':
          return of(REFUSALS.alreadyConnected);
        case 'freeing':
          return of(state.refusal);
      }
      state?.window.unsubscribe();
      const later = this.#whyToWait(address, state !== undefined);
      if (later) {
        if (state) this.#keepUnresolved(token, state.giveBack, later.retryAfter);
        return of(later);
      }
      return this.#ask(presented, address, state?.giveBack);
    });
  }

  /** The player of a confirmed token is in. */
  admit(token: string, player: Player): void {
    this.#tokens.set(token, { kind: 'in', player });
  }

  /** The players that are in. */
  *players(): Generator<Player, void> {
    for (const state of this.#tokens.values()) {
      if (state.kind === 'in') yield state.player;
    }
  }

  /**
   * The player of a confirmed token has left. The token may be presented again once their slot has
   * been freed.
   */
  release(token: string): void {
    this.#free(token, 'left', REFUSALS.alreadyConnected);
  }

  get size(): number {
    return this.#tokens.size;
  }

  /** Emits once no token is in use. */
  get empty$(): Observable<unknown> {
    return this.#settled$.pipe(
      startWith(undefined),
      filter(() => this.#tokens.size === 0),
      take(1),
    );
  }

  /** Why the service is not asked about the token now, although it may be later. */
  #whyToWait(address: string, isUnresolved: boolean) {
    const { pending, unresolved } = this.limits;
    if (this.#pause.left > 0) return { ...REFUSALS.rateLimited, retryAfter: this.#pause.left };
    const hasRoom = pending.hasRoomFor(address) && (isUnresolved || unresolved.hasRoomFor(address));
    return hasRoom ? undefined : REFUSALS.busy;
  }

  /** `giveBack` is given if the answer about the token was lost before. */
  #ask(presented: PresentedToken, address: string, giveBack?: () => void): Observable<Refusal | undefined> {
    const { token } = presented;
    const { players } = this.settings.client.matchmaker;
    this.#tokens.set(token, { kind: 'confirming', hash: hashOfPresented(presented) });
    const answer$ = callClient('connected', () => players.connected({ player_token: token })).pipe(
      // Completing without a value does not count as OK.
      first(),
      map(() => undefined),
      catchError((error: unknown) => of(refusalFor(error, token))),
    );
    return this.#probe.whyNot().pipe(
      mergeMap(refusal => (refusal ? of(refusal) : answer$)),
      tap((refusal: Refusal | undefined) => this.#settle(token, address, refusal, giveBack)),
      finalize(this.limits.pending.take(address)),
    );
  }

  #settle(token: string, address: string, refusal: Refusal | undefined, giveBack?: () => void): void {
    if (!refusal) {
      giveBack?.();
      return;
    }
    const { retryAfter, isRateLimit, isUnknown } = refusal;
    const wait = retryAfter ?? 0;
    if (isRateLimit) this.#pause.extend(wait);
    const isFinal = retryAfter === undefined;
    if (giveBack && isFinal) this.#free(token, 'unresolved', refusal, giveBack);
    else if (giveBack) this.#keepUnresolved(token, giveBack, wait);
    else if (isUnknown) this.#keepUnresolved(token, this.limits.unresolved.take(address), wait);
    else this.#tokens.delete(token);
    this.#settled$.next();
  }

  /**
   * The player may come again within the window. If they were asked to wait for longer than that,
   * the window follows the wait.
   */
  #keepUnresolved(token: string, giveBack: () => void, wait: number): void {
    const window = new Subscription();
    this.#tokens.set(token, { kind: 'unresolved', window, giveBack });
    const over$ = timer(RETRY_WINDOW_MS + (wait > RETRY_WINDOW_MS ? wait : 0), this.settings.scheduler);
    const free = () => this.#free(token, 'unresolved', REFUSALS.unknown, giveBack);
    window.add(race(this.closed$, over$).pipe(take(1)).subscribe(free));
  }

  #free(token: string, why: FreeSlotReason, refusal: Refusal, giveBack?: () => void): void {
    this.#tokens.set(token, { kind: 'freeing', refusal });
    this.freeSlot(token, why, () => {
      this.#tokens.delete(token);
      giveBack?.();
      this.#settled$.next();
    });
  }
}

/**
 * Whether a client that presents a token once more, while it is being confirmed, is the same one. A
 * token alone does not prove that.
 */
function isSameClient(presented: PresentedToken, hash: string): boolean {
  return presented.ownTicket !== undefined && hashOfPresented(presented) === hash;
}
