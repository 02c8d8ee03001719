import type { IncomingHttpHeaders } from 'node:http';
import {
  AsyncSubject,
  BehaviorSubject,
  EMPTY,
  ignoreElements,
  race,
  take,
  timer,
  type Observable,
  type Subscription,
} from 'rxjs';
import { redact } from '../../../error/index.js';
import { checkCloseFrame, toCloseReason } from '../close-frame.js';
import type { Connection } from '../connection.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage, LobbySocket, SocketClosed } from '../lobby-socket.js';
import { MessageBuffer } from '../message-buffer.js';
import { refused, REFUSALS } from '../refusal.js';
import { splitToken, type Visitor } from '../upgrade/index.js';

/** What the players of a gate share. */
export interface SeatsOfPlayer {
  readonly settings: GateSettings;
  readonly closed$: Observable<unknown>;
  readonly issueTicket: (player: Player) => string;
  readonly left: (player: Player, ticket: string | undefined, closed: SocketClosed, wasAway: boolean) => void;
}

/** The public socket of a player. Private fields are not printed, nor is what only its class has. */
export class Player implements LobbySocket {
  address = '';
  url = '';
  readonly #token: string;
  readonly #seats: SeatsOfPlayer;
  readonly #messages: MessageBuffer;
  readonly #status$ = new BehaviorSubject<'open' | 'away'>('open');
  readonly #closed$ = new AsyncSubject<SocketClosed>();
  #connection: Connection | undefined;
  #headers: IncomingHttpHeaders = {};
  #ticket: string | undefined;
  #grace: Subscription | undefined;
  /** This side has ended it: the player is gone, or is about to be. */
  #isEnded = false;
  #isGone = false;
  #isAway = false;

  constructor(token: string, seats: SeatsOfPlayer) {
    this.#token = token;
    this.#seats = seats;
    this.#messages = new MessageBuffer(seats.settings.maxPayload);
  }

  get token(): string {
    return this.#token;
  }

  get returnTicket(): string {
    return (this.#ticket ??= this.#seats.issueTicket(this));
  }

  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  get searchParams(): URLSearchParams {
    // Not `new URL`, which throws on some paths that requests may have.
    return new URLSearchParams(this.url.split(/\?(.*)/s, 2)[1]);
  }

  get status$(): Observable<'open' | 'away'> {
    return this.#status$.asObservable();
  }

  get message$(): Observable<LobbyMessage> {
    return this.#messages.message$;
  }

  get closed$(): Observable<SocketClosed> {
    return this.#closed$.asObservable();
  }

  get bufferedAmount(): number {
    return this.#connection?.bufferedAmount ?? 0;
  }

  send(message: LobbyMessage): boolean {
    return this.#connection?.send(message) ?? false;
  }

  close(code = 1000, reason = ''): void {
    checkCloseFrame(code, reason);
    this.#isEnded = true;
    if (this.#connection) this.#connection.close(code, reason);
    else this.#leave({ code, reason });
  }

  terminate(): void {
    this.#isEnded = true;
    if (this.#connection) this.#connection.terminate();
    else this.#leave({ code: 1006, reason: '' });
  }

  toJSON(): object {
    const { address, url } = this;
    return { address, url };
  }

  /** Takes a connection, whose end is the player's, unless they come back. */
  sit({ address, url, headers }: Visitor, connection: Connection): void {
    const { token } = this.#seats.settings;
    this.address = this.#clean(address);
    this.url = this.#clean(token === 'query' ? splitToken(url).url : url);
    this.#headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(text => this.#clean(text)) : value && this.#clean(value),
      ]),
    );
    this.#connection = connection;
    this.#grace?.unsubscribe();
    connection.closed$.subscribe(({ code, reason, wasDropped }) => {
      // Another connection has taken its place.
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      const closed = { code, reason: toCloseReason(this.#clean(reason)) };
      if (wasDropped && !this.#isEnded && this.#seats.settings.grace > 0) this.#goAway(closed);
      else this.#leave(closed);
    });
    if (this.#isAway) {
      const { log, scheduler } = this.#seats.settings;
      this.#isAway = false;
      log({ kind: 'returned', at: scheduler.now(), address: this.address });
      this.#status$.next('open');
    }
    connection.passTo(this.#messages);
  }

  /** Completes when it is clear how the connection ends, if it does: by the client's own word, after which they do not come back, or not. */
  get ending$(): Observable<never> {
    const connection = this.#connection;
    return !connection || connection.isOpen ? EMPTY : connection.closed$.pipe(ignoreElements());
  }

  get mayComeBack(): boolean {
    return !this.#isEnded && !this.#isGone && !this.#connection?.wasClosedByUs;
  }

  /** Takes the connection on which the player has come back, instead of the one that they may still have. */
  comeBack(visitor: Visitor, connection: Connection): void {
    const { log, scheduler } = this.#seats.settings;
    const old = this.#connection;
    this.#connection = undefined;
    old?.terminate();
    if (old) this.#goAway({ code: 1006, reason: '' });
    // A subscriber may have closed it.
    if (this.#isGone) {
      const { expired } = REFUSALS;
      log(refused(expired, expired.code, visitor.address, scheduler.now()));
      return connection.closeOrTerminate(expired.code, expired.reason);
    }
    this.sit(visitor, connection);
  }

  #goAway(closed: SocketClosed): void {
    const { settings, closed$ } = this.#seats;
    const { grace, log, scheduler } = settings;
    this.#isAway = true;
    log({ kind: 'away', at: scheduler.now(), address: this.address, ...closed });
    this.#status$.next('away');
    const isOver$ = race(closed$, timer(grace, scheduler)).pipe(take(1));
    if (!this.#isGone) this.#grace = isOver$.subscribe(() => this.#leave(closed));
  }

  #leave(closed: SocketClosed): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#grace?.unsubscribe();
    this.#status$.complete();
    this.#messages.end();
    this.#closed$.next(closed);
    this.#closed$.complete();
    // Last: the gate may complete now.
    this.#seats.left(this, this.#ticket, closed, this.#isAway);
  }

  /** A client may repeat its secrets anywhere: in a cookie, in the URL of its page, as the reason of its leaving. */
  #clean(text: string): string {
    return redact(text, this.#ticket === undefined ? [this.#token] : [this.#token, this.#ticket]);
  }
}
