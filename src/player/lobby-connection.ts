import {
  BehaviorSubject,
  combineLatest,
  defer,
  EMPTY,
  filter,
  map,
  merge,
  NEVER,
  Observable,
  repeat,
  share,
  switchMap,
  take,
  tap,
  timer,
} from 'rxjs';
import { checkArgument, printable, redact, type Guard } from '../error/index.js';
import { RESERVATION_MS } from '../protocol/index.js';
import { ageOf, backoffDelay, instant, pageAlive, type Instant } from '../stream/index.js';
import { meaningOfClose } from './close-codes.js';
import { gateLink, type LinkEnd, type LinkSignal, type PlayerMessage } from './gate-link.js';
import { isLobbyClosedError, LobbyClosedError, type LobbyClosedReason } from './lobby-closed-error.js';
import {
  connectionSettings,
  type ConnectionSettings,
  type LobbyConnectionConfig,
  type LobbyEntrance,
} from './lobby-connection-config.js';
import { hintFor, nextStatus, type LobbyStatus } from './lobby-status.js';

/** A player's connection to a lobby. It emits the messages of the lobby. */
export interface LobbyConnection extends Observable<PlayerMessage> {
  /**
   * The status, at once and at each change. It does not connect, never fails and never completes.
   */
  readonly status$: Observable<LobbyStatus>;
  /** The current status. It is the same object until something changes. */
  readonly status: LobbyStatus;
  /**
   * Sends a message to the lobby. Returns whether it was sent. While the player is not in, it is
   * dropped, unless there is room in the `queue` of the config. It is also dropped if more than 1
   * MB waits to be sent. A message that is sent just before the connection drops may be lost.
   * Throws an `InputError` if it is neither a string nor bytes, or empty.
   */
  send(message: PlayerMessage): boolean;
}

/**
 * The player's side of a `lobbyGate`: connects to a lobby, in a page or in Node. It sends the
 * player's token, and emits the messages that the lobby sends to the player.
 *
 * It is cold, and shared. The first subscription connects. When the last one ends, the player
 * leaves, and their slot is free at once. If the connection drops, it comes back by itself within
 * the `grace` of the gate. If the gate could not admit the player yet, it tries again while the
 * reservation is valid, for 120 s. Each wait is a random time up to 500 ms, then twice that, up to
 * 5 s, or what the gate asks for. In a page it connects at once when the page is online or visible
 * again, and not while it is frozen.
 *
 * It completes when the lobby closes the connection with 1000. It fails with a
 * {@link LobbyClosedError} when the player is out for any other reason, and trying again cannot
 * help. Throws an `InputError` if an argument is invalid.
 *
 * @example
 * client.events.feed.lobbyJoin$
 *   .pipe(switchMap(join => lobbyConnection(join, { path: '/play?name=Ada' })))
 *   .subscribe({
 *     next: message => show(message),
 *     error: error => showWhy(error),
 *   });
 */
export function lobbyConnection(
  entrance: LobbyEntrance,
  config: LobbyConnectionConfig = {},
): LobbyConnection {
  const player = new LobbyPlayerSide(connectionSettings(entrance, config));
  return Object.defineProperty(
    Object.assign(player.messages(), {
      status$: player.status$.asObservable(),
      send: (message: PlayerMessage) => player.send(message),
    }),
    'status',
    { get: () => player.status$.value },
  ) as LobbyConnection;
}

/** How long to wait for the gate if it does not say, in ms. It accepts a return each second. */
const SOON_MS = 1_000;

const aMessage: Guard<PlayerMessage> = {
  name: 'a string or a Uint8Array, and not empty',
  is: (u): u is PlayerMessage => (typeof u === 'string' || u instanceof Uint8Array) && u.length > 0,
};

class LobbyPlayerSide {
  readonly status$: BehaviorSubject<LobbyStatus>;
  readonly #settings: ConnectionSettings;
  /** The token with a ticket of its own, or the gate's ticket once the player has been in. */
  #secret: string;
  /** `undefined` until the player has been in. */
  #grace: number | undefined;
  /** When the reservation began, or the connection dropped. */
  #since: Instant;
  /** Whether any connection has been opened. */
  #hasOpened = false;
  #send: ((message: PlayerMessage) => boolean) | undefined;
  #queue: PlayerMessage[] = [];
  #rest: { readonly wait: number; readonly isLater: boolean } | undefined;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#secret = settings.secret;
    this.#since = instant(settings);
    this.status$ = new BehaviorSubject(nextStatus(undefined, { state: 'idle' }, this.#since.at));
  }

  messages(): Observable<PlayerMessage> {
    const link$ = defer(() => gateLink(this.#secret, this.#settings)).pipe(
      tap(signal => this.#onSignal(signal)),
      filter(signal => signal.kind === 'message'),
      map(({ message }) => message),
      repeat({ delay: () => this.#rested() }),
      tap({ error: (error: unknown) => this.#onError(error) }),
    );
    return defer(() => {
      this.#begin();
      return link$;
    }).pipe(tap({ unsubscribe: () => this.#leave() }), share());
  }

  send(message: PlayerMessage): boolean {
    checkArgument('message', aMessage, message);
    if (this.#send) return this.#send(message);
    const isAway = !['idle', 'closed'].includes(this.status$.value.state);
    if (!isAway || this.#queue.length >= this.#settings.queue) return false;
    this.#queue.push(message);
    return true;
  }

  #begin(): void {
    this.#secret = this.#settings.secret;
    this.#grace = undefined;
    this.#since = instant(this.#settings);
    this.#hasOpened = false;
    this.#show({ state: 'connecting' });
  }

  #leave(): void {
    this.#forget();
    this.#show({ state: 'idle' });
  }

  #onSignal(signal: LinkSignal): void {
    if (signal.kind === 'ended') return this.#onEnd(signal);
    if (signal.kind === 'message') return;
    const { welcome, send } = signal;
    this.#secret = welcome.ticket ?? this.#secret;
    this.#grace = welcome.grace;
    this.#hasOpened = true;
    this.#send = send;
    const queue = this.#queue;
    this.#queue = [];
    for (const message of queue) send(message);
    this.#show({ state: 'live' });
  }

  /** Decides how to go on after a connection. Throws if the player is out. */
  #onEnd({ code, text, stage }: LinkEnd): void {
    const { random, backoff, secret } = this.#settings;
    const wasIn = stage === 'in';
    this.#send = undefined;
    this.#hasOpened ||= stage !== 'connecting';
    if (wasIn) this.#since = instant(this.#settings);
    const attempt = this.status$.value.attempt + 1;
    const said = printable(redact(text, [...secret.split(' '), this.#secret]));
    const meaning = meaningOfClose(code, said);
    const closed = (reason: LobbyClosedReason) => new LobbyClosedError(reason, code, said);
    if (wasIn && code === 1000) {
      this.#rest = undefined;
      return;
    }
    const mayReturn = wasIn ? meaning.comesBack === 'dropped' : meaning.comesBack !== 'never';
    if (!mayReturn || this.#grace === 0) throw closed(meaning.reason);

    const remaining = (this.#grace ?? RESERVATION_MS) - ageOf(this.#since, instant(this.#settings));
    const isLater = meaning.comesBack === 'later';
    const retryAfter = meaning.retryAfter ?? (isLater ? SOON_MS : 0);
    if (remaining <= 0 || retryAfter > remaining) throw closed(this.#whyOver(meaning.reason, isLater));
    const wait = Math.min(backoffDelay(attempt, backoff, random(), retryAfter), remaining);
    this.#rest = { wait, isLater };
    const reason = this.#hasOpened ? meaning.reason : 'unreachable';
    this.#show({
      state: stage === 'connecting' ? 'offline' : 'retrying',
      attempt,
      nextTry: instant(this.#settings).at + wait,
      error: closed(reason),
      hint: hintFor(reason, attempt, this.#hasOpened),
    });
  }

  /** Why the player is out once the reservation or the ticket is no longer valid. */
  #whyOver(reason: string, isLater: boolean): LobbyClosedReason {
    if (isLater) return reason;
    if (this.#grace !== undefined) return 'expired';
    return this.#hasOpened ? 'registration_expired' : 'unreachable';
  }

  /** Emits when the next attempt may begin. Completes if there is none. */
  #rested(): Observable<unknown> {
    const rest = this.#rest;
    if (!rest) {
      this.#forget();
      this.#show({ state: 'closed' });
      return EMPTY;
    }
    const { scheduler, wake$, backoff, random } = this.#settings;
    const over$ = timer(rest.wait, scheduler);
    // Many players may be back at once, when their network is.
    const early$ = wake$.pipe(switchMap(() => timer(backoffDelay(1, backoff, random()), scheduler)));
    return combineLatest([merge(over$, rest.isLater ? NEVER : early$), pageAlive()]).pipe(
      filter(([, isAlive]) => isAlive),
      take(1),
      tap(() => this.#show({ ...this.status$.value, nextTry: undefined })),
    );
  }

  #onError(error: unknown): void {
    const attempt = this.status$.value.attempt + 1;
    const known = isLobbyClosedError(error) ? error : undefined;
    const hint = known && hintFor(known.reason, attempt, this.#hasOpened);
    this.#forget();
    this.#show({ state: 'closed', error: known, attempt, hint });
  }

  #forget(): void {
    this.#send = undefined;
    this.#queue = [];
  }

  #show(change: Pick<LobbyStatus, 'state'> & Partial<LobbyStatus>): void {
    this.status$.next(nextStatus(this.status$.value, change, this.#settings.scheduler.now()));
  }
}
