import { Observable, Subject, Subscription, type Subscriber, type Unsubscribable } from 'rxjs';
import { DirectState, follow, onlyNext } from '../direct/index.js';
import { checkArgument, fieldsOf, printable, redact, type Guard } from '../error/index.js';
import { RESERVATION_MS } from '../protocol/index.js';
import { ageOf, backoffDelay, instant, type Instant } from '../stream/index.js';
import { meaningOfClose } from './close-codes.js';
import { GateLink, type LinkObserver, type PlayerMessage, type Stage } from './gate-link.js';
import { LobbyClosedError, type LobbyClosedReason } from './lobby-closed-error.js';
import {
  connectionSettings,
  type ConnectionSettings,
  type LobbyConnectionConfig,
  type LobbyEntrance,
} from './lobby-connection-config.js';
import { nextStatus, type LobbyStatus, type StatusChange } from './lobby-status.js';
import type { Welcome } from './welcome.js';

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
  return new SharedConnection(connectionSettings(entrance, config));
}

/** One {@link LobbyVisit} at a time, for all subscribers. */
class SharedConnection extends Observable<PlayerMessage> implements LobbyConnection {
  readonly status$: DirectState<LobbyStatus>;
  readonly #settings: ConnectionSettings;
  #visit: LobbyVisit | undefined;

  constructor(settings: ConnectionSettings) {
    super(subscriber => this.#join(subscriber));
    this.#settings = settings;
    this.status$ = new DirectState(nextStatus(undefined, { state: 'idle' }, settings.scheduler.now()));
  }

  get status(): LobbyStatus {
    return this.status$.value;
  }

  send(message: PlayerMessage): boolean {
    checkArgument('message', aMessage, message);
    return this.#visit?.send(message) ?? false;
  }

  #join(subscriber: Subscriber<PlayerMessage>): void {
    const current = this.#visit?.isOver === false ? this.#visit : undefined;
    const visit = current ?? new LobbyVisit(this.#settings, this.status$);
    this.#visit = visit;
    subscriber.add(visit.message$.subscribe(subscriber));
    subscriber.add(() => {
      if (!visit.message$.observed) visit.leave();
    });
    if (!current) visit.begin();
  }
}

const aMessage: Guard<PlayerMessage> = {
  name: 'a string or a Uint8Array, and not empty',
  is: (u): u is PlayerMessage => (typeof u === 'string' || u instanceof Uint8Array) && u.length > 0,
};

/** How long to wait for the gate if it does not say, in ms. It accepts a return each second. */
const SOON_MS = 1_000;

/** A player in a lobby, over as many links as it takes, until they leave or are out. */
class LobbyVisit implements LinkObserver {
  readonly message$ = new Subject<PlayerMessage>();
  /** Whether the player has left, or is out. */
  isOver = false;
  readonly #settings: ConnectionSettings;
  readonly #status$: DirectState<LobbyStatus>;
  /** What is presented: the token with a ticket of our own or, after the welcome, the gate's. */
  #secret: string;
  /** `undefined` until the player has been in. */
  #grace: number | undefined;
  /** When the reservation began, or the connection dropped. */
  #since: Instant;
  /** How many attempts have failed in a row. */
  #attempt = 0;
  /** Whether any connection has been opened. */
  #hasOpened = false;
  /** `undefined` between two attempts. */
  #link: GateLink | undefined;
  #rest = Subscription.EMPTY;
  /** Whether the gate has asked the player to come later. */
  #isLater = false;
  #queue: PlayerMessage[] = [];
  #wakes: Unsubscribable = Subscription.EMPTY;

  constructor(settings: ConnectionSettings, status$: DirectState<LobbyStatus>) {
    this.#settings = settings;
    this.#status$ = status$;
    this.#secret = settings.secret;
    this.#since = instant(settings);
  }

  begin(): void {
    this.#show({ state: 'connecting' });
    if (this.isOver) return;
    this.#wakes = follow(
      this.#settings.wake$,
      onlyNext(() => this.#wake()),
    );
    this.#connect();
  }

  send(message: PlayerMessage): boolean {
    if (this.#status$.value.state === 'live') return this.#link?.send(message) ?? false;
    if (this.isOver || this.#queue.length >= this.#settings.queue) return false;
    this.#queue.push(message);
    return true;
  }

  onWelcome(welcome: Welcome | undefined): void {
    if (!welcome) return this.#end(new LobbyClosedError('not_a_gate', 1000, ''));
    this.#secret = welcome.ticket ?? this.#secret;
    this.#grace = welcome.grace;
    this.#attempt = 0;
    this.#hasOpened = true;
    const queue = this.#queue;
    this.#queue = [];
    for (const message of queue) this.#link?.send(message);
    this.#show({ state: 'live' });
  }

  onMessage(message: PlayerMessage): void {
    this.message$.next(message);
  }

  /** Decides how to go on after a connection. */
  onEnd(code: number, text: string, stage: Stage): void {
    const { random, backoff, secret } = this.#settings;
    const wasIn = stage === 'in';
    this.#link = undefined;
    this.#hasOpened ||= stage !== 'connecting';
    if (wasIn) this.#since = instant(this.#settings);
    const said = printable(redact(text, [...secret.split(' '), this.#secret]));
    const closed = (why: LobbyClosedReason) => new LobbyClosedError(why, code, said);
    const meaning = meaningOfClose(code, said);
    if (wasIn && code === 1000) return this.#end();
    this.#attempt++;
    const mayReturn = wasIn ? meaning.comesBack === 'dropped' : meaning.comesBack !== 'never';
    if (!mayReturn || this.#grace === 0) return this.#end(closed(meaning.reason));

    this.#isLater = meaning.comesBack === 'later';
    const remaining = (this.#grace ?? RESERVATION_MS) - ageOf(this.#since, instant(this.#settings));
    const retryAfter = meaning.retryAfter ?? (this.#isLater ? SOON_MS : 0);
    if (retryAfter >= remaining) return this.#end(closed(this.#whyOver(meaning.reason)));
    const why = this.#hasOpened ? meaning.reason : 'unreachable';
    this.#waitFor(Math.min(backoffDelay(this.#attempt, backoff, random(), retryAfter), remaining), {
      state: stage === 'connecting' ? 'offline' : 'retrying',
      attempt: this.#attempt,
      error: closed(why),
    });
  }

  #connect(): void {
    if (this.isOver) return;
    try {
      this.#link = new GateLink(this.#secret, this.#settings, this);
    } catch (error) {
      // Its message may contain the URL, and so the token.
      this.#end(new LobbyClosedError('not_opened', 1006, String(fieldsOf(error).name)));
    }
  }

  /** Connects after a time. A frozen page has no timers, and wakes when it is resumed. */
  #waitFor(wait: number, status: StatusChange): void {
    const { scheduler } = this.#settings;
    this.#rest.unsubscribe();
    this.#rest = scheduler.schedule(() => {
      this.#show({ ...this.#status$.value, nextTry: undefined });
      this.#connect();
    }, wait);
    this.#show({ ...status, nextTry: scheduler.now() + wait });
  }

  /** The network may be back. Many players may be back with it, and must not all come at once. */
  #wake(): void {
    if (this.#link) return this.#link.wake();
    const { scheduler, backoff, random } = this.#settings;
    const { nextTry = 0 } = this.#status$.value;
    const wait = backoffDelay(1, backoff, random());
    if (!this.#isLater && scheduler.now() + wait < nextTry) this.#waitFor(wait, this.#status$.value);
  }

  /** Why the player is out once the reservation or the ticket is no longer valid. */
  #whyOver(reason: string): LobbyClosedReason {
    if (this.#isLater) return reason;
    if (this.#grace !== undefined) return 'expired';
    return this.#hasOpened ? 'registration_expired' : 'unreachable';
  }

  /** The player is out: for this reason, or because the lobby has closed the connection. */
  #end(error?: LobbyClosedError): void {
    this.isOver = true;
    this.#show({ state: 'closed', error, attempt: this.#attempt });
    if (error) this.message$.error(error);
    else this.message$.complete();
  }

  leave(): void {
    this.#wakes.unsubscribe();
    this.#rest.unsubscribe();
    this.#link?.unsubscribe();
    if (this.isOver) return;
    this.isOver = true;
    this.#show({ state: 'idle' });
  }

  #show(change: StatusChange): void {
    this.#status$.next(nextStatus(this.#status$.value, change, this.#settings.scheduler.now()));
  }
}
