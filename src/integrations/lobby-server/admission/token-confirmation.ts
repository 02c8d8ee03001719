import {
  catchError,
  defer,
  filter,
  finalize,
  first,
  map,
  of,
  race,
  startWith,
  Subject,
  take,
  tap,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { GatePlaces } from '../places.js';
import { REFUSALS, refusalFor, type Refusal } from '../refusal.js';
import type { FreeSlot } from './free-slot.js';

/** Confirms tokens with the service, and keeps track of those in use. */
export interface TokenConfirmation {
  /**
   * Confirms a token that came from an address: emits the refusal, or undefined for OK, and completes. The service is not asked
   * about a token that is being confirmed or in use, nor while it has asked not to be asked.
   */
  readonly confirm: (token: string, address: string) => Observable<Refusal | undefined>;
  /** The player of a confirmed token has left: it may be presented again once their slot has been freed. */
  readonly release: (token: string) => void;
  /** Emits once no token is in use, or held. */
  readonly idle$: Observable<unknown>;
}

/** How long a player may take to come again after the service's answer was lost, in ms. */
const GRACE = 10_000;

/** A token for which the service's answer was lost: its player may come again until the grace has passed. */
interface Held {
  readonly leave: () => void;
  /** Undefined while the service is being asked again, or the slot is being freed. */
  grace?: Subscription | undefined;
}

/** `closed$` emits once no player can come again, at once if that is so. */
export function createTokenConfirmation(
  { client, scheduler }: GateSettings,
  places: GatePlaces,
  freeSlot: FreeSlot,
  closed$: Observable<unknown>,
): TokenConfirmation {
  /** The refusal of a token that is being confirmed, has a player, or whose slot is being freed. */
  const inUse = new Map<string, Refusal>();
  const held = new Map<string, Held>();
  const settled$ = new Subject<void>();
  let pausedUntil = 0;

  const pause = (token: string) => {
    const entry = held.get(token);
    entry?.grace?.unsubscribe();
    if (entry) entry.grace = undefined;
  };
  const drop = (token: string) => {
    pause(token);
    held.get(token)?.leave();
    held.delete(token);
  };
  /** No player can come in with the token while its slot is being freed. */
  const free = (token: string, why: 'gone' | 'unknown', refusal: Refusal) => {
    inUse.set(token, refusal);
    freeSlot(token, why, () => {
      inUse.delete(token);
      drop(token);
      settled$.next();
    });
  };
  /** The grace begins again; if the player was asked to wait for longer than that, it begins after the wait. */
  const hold = (token: string, address: string, wait: number) => {
    pause(token);
    const entry: Held = held.get(token) ?? { leave: places.held.take(address) };
    held.set(token, entry);
    const grace$ = timer(GRACE + (wait > GRACE ? wait : 0), scheduler);
    const grace = race(closed$, grace$)
      .pipe(take(1))
      .subscribe(() => {
        entry.grace = undefined;
        free(token, 'unknown', REFUSALS.unknown);
      });
    if (!grace.closed) entry.grace = grace;
  };

  /** Why the service is not asked about the token now, although it may be later. */
  const whyToWait = (token: string, address: string) => {
    const paused = pausedUntil - scheduler.now();
    if (paused > 0) return { ...REFUSALS.rateLimited, retryAfter: Math.ceil(paused / 1_000) };
    const hasPlaces =
      places.pending.isFreeFor(address) && (held.has(token) || places.held.isFreeFor(address));
    return hasPlaces ? undefined : REFUSALS.busy;
  };

  const settle = (token: string, address: string, refusal: Refusal | undefined) => {
    if (!refusal) {
      drop(token);
      return;
    }
    inUse.delete(token);
    const wait = (refusal.retryAfter ?? 0) * 1_000;
    if (refusal.isRateLimit) pausedUntil = Math.max(pausedUntil, scheduler.now() + wait);
    // The service has refused it for good.
    if (refusal.retryAfter === undefined && held.has(token)) free(token, 'unknown', refusal);
    else if (refusal.isUnknown || held.has(token)) hold(token, address, wait);
    settled$.next();
  };

  return {
    confirm: (token, address) =>
      defer(() => {
        const known = inUse.get(token);
        if (known) return of(known);
        const later = whyToWait(token, address);
        if (later) {
          if (held.has(token)) hold(token, address, later.retryAfter * 1_000);
          return of(later);
        }
        inUse.set(token, REFUSALS.alreadyConnected);
        pause(token);
        return defer(() => client.matchmaker.players.connected({ player_token: token })).pipe(
          // Completing without a value does not count as OK.
          first(),
          map(() => undefined),
          catchError((error: unknown) => of(refusalFor(error, token))),
          tap((refusal: Refusal | undefined) => settle(token, address, refusal)),
          finalize(places.pending.take(address)),
        );
      }),
    release: token => free(token, 'gone', REFUSALS.alreadyConnected),
    idle$: settled$.pipe(
      startWith(undefined),
      filter(() => inUse.size === 0 && held.size === 0),
      take(1),
    ),
  };
}
