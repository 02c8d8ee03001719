import { createHmac, randomBytes } from 'node:crypto';
import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  finalize,
  map,
  merge,
  mergeMap,
  of,
  race,
  ReplaySubject,
  Subject,
  timer,
  type Observable,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { InputError } from 'lobby-rx';
import { lobbyGate, type LobbyGateConfig, type LobbySocket } from 'lobby-rx/lobby-server';

/** How many slots are freed at once. */
const AT_ONCE = 16;

/** A connection of a player who has a seat. */
export interface Seated {
  /** The same each time that the player comes back. It is the secret by which they do: never show it to others. */
  readonly seat: string;
  readonly socket: LobbySocket;
}

export interface ComingBackConfig extends Omit<LobbyGateConfig, 'path' | 'onGone' | 'onUnknown'> {
  /** Frees the slot of a player who has not come back. */
  readonly freeSlot: (token: string) => Observable<unknown>;
  /** How long a seat is kept for a player who has left, in ms. */
  readonly grace: number;
  readonly scheduler?: SchedulerLike;
}

/**
 * Two gates: at `/play`, players come in with the token of the service, which is valid once. At `/back`, those come back within the
 * grace whose connection has dropped, with the secret that they were sent: to that gate it is a token, which this lobby confirms by
 * itself. A grace is a timer, and costs no call of a hook.
 */
export function comingBack({ freeSlot, grace, ...config }: ComingBackConfig): Observable<Seated> {
  const { client, scheduler = asyncScheduler } = config;
  const key = randomBytes(32);
  const seatOf = (token: string) => createHmac('sha256', key).update(token).digest('base64url');
  const seats = new Map<string, { readonly token: string; readonly leaving: Subscription }>();
  const left$ = new Subject<string>();
  const closed$ = new ReplaySubject<void>(1);
  left$.pipe(mergeMap(token => freeSlot(token).pipe(catchError(() => EMPTY)), AT_ONCE)).subscribe();

  const leave = (seat: string, token: string) => {
    // Once the lobby closes, no player comes back.
    const leaving = race(timer(grace, scheduler), closed$).subscribe(() => {
      seats.delete(seat);
      left$.next(token);
    });
    if (!leaving.closed) seats.set(seat, { token, leaving });
  };
  const connected = ({ player_token: seat }: { readonly player_token: string }) =>
    defer(() => {
      const { leaving } = seats.get(seat) ?? {};
      if (!leaving || leaving.closed) throw new InputError('seat', 'one that is kept', 'another one');
      leaving.unsubscribe();
      return of(undefined);
    });

  const entering$ = lobbyGate({
    ...{ ...config, client, path: '/play' },
    onGone: token => leave(seatOf(token), token),
    onUnknown: freeSlot,
  }).pipe(map(socket => ({ seat: seatOf(socket.token), socket })));
  const returning$ = lobbyGate({
    ...{ ...config, client: { matchmaker: { players: { connected } } }, path: '/back' },
    onGone: seat => leave(seat, seats.get(seat)!.token),
  }).pipe(map(socket => ({ seat: socket.token, socket })));
  return merge(entering$, returning$).pipe(finalize(() => closed$.next()));
}
