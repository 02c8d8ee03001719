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
import { closeCode, welcomeText, type PlayerMessage, type PresentedToken } from '../../../player/index.js';
import { checkCloseFrame, MessageBuffer, toCloseReason, type Connection } from '../socket/index.js';
import { REFUSALS, type PlayerLeft } from '../report/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { PlayerSocket, SocketClosed } from '../player-socket.js';
import { splitToken, type Visitor } from '../upgrade/index.js';
import { hashOfPresented, hashOfTicket, newReturnTicket } from './return-ticket.js';

/** The least time between two returns of a player, in ms. */
const RETURN_SPACING_MS = 1_000;

/** Where a player of the lobby is. One that has left is in no more. */
export type PlayerState = 'open' | 'away' | 'left';

/** The context that all players of a gate share. */
export interface PlayerContext {
  readonly settings: GateSettings;
  /** Emits once no player can come back. */
  readonly closed$: Observable<unknown>;
  /** Those who may come back, by the hash of their tickets. */
  readonly byTicket: Map<string, Player>;
}

/** The public socket of a player. Private fields and getters are not printed. */
export class Player implements PlayerSocket {
  address = '';
  url = '';
  readonly #presented: PresentedToken;
  readonly #gate: PlayerContext;
  readonly #messages: MessageBuffer;
  readonly #status$ = new BehaviorSubject<'open' | 'away'>('open');
  readonly #closed$ = new AsyncSubject<SocketClosed>();
  readonly #left$ = new AsyncSubject<PlayerLeft>();
  #connection: Connection | undefined;
  #headers: IncomingHttpHeaders = {};
  #ticket: string | undefined;
  #grace: Subscription | undefined;
  /** Runs for `RETURN_SPACING_MS` after a return. */
  #sinceReturn: Subscription | undefined;
  /** It counts as open until it is known to be away or to have left. */
  #state: PlayerState = 'open';
  /** This side has closed the socket. The player has left, or is about to leave. */
  #isEnded = false;

  constructor(presented: PresentedToken, visitor: Visitor, gate: PlayerContext) {
    this.#presented = presented;
    this.#gate = gate;
    this.#meet(visitor);
    if (presented.ownTicket !== undefined) this.#comesBackWith(hashOfPresented(presented));
    this.#messages = new MessageBuffer(gate.settings.maxPayload);
  }

  get state(): PlayerState {
    return this.#state;
  }

  get token(): string {
    return this.#presented.token;
  }

  get returnTicket(): string {
    if (this.#ticket === undefined) {
      this.#ticket = newReturnTicket();
      this.#comesBackWith(hashOfTicket(this.#ticket));
    }
    return this.#ticket;
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

  get message$(): Observable<PlayerMessage> {
    return this.#messages.message$;
  }

  get closed$(): Observable<SocketClosed> {
    return this.#closed$.asObservable();
  }

  /** Emits once, after all subscribers of `closed$`. */
  get left$(): Observable<PlayerLeft> {
    return this.#left$.asObservable();
  }

  get bufferedAmount(): number {
    return this.#connection?.bufferedAmount ?? 0;
  }

  send(message: PlayerMessage): boolean {
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

  /** Takes a connection, which may have dropped while the service was asked. */
  attach(connection: Connection): void {
    this.#connection = connection;
    this.#grace?.unsubscribe();
    if (connection.isOpen) this.#welcome(connection);
  }

  /** When the connection ends, the player has left, unless they may come back. */
  watchConnection(): void {
    const connection = this.#connection;
    connection?.closed$.subscribe(({ code, reason, wasDropped }) => {
      // Another connection has replaced it.
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      const closed = { code, reason: toCloseReason(this.#clean(reason)) };
      if (wasDropped && !this.#isEnded && this.#gate.settings.grace > 0) this.#goAway(closed);
      else this.#leave(closed);
    });
  }

  /**
   * Completes when an ending connection has ended. Then it is known whether the client has closed
   * it, after which the player does not come back.
   */
  get ending$(): Observable<never> {
    const connection = this.#connection;
    return !connection || connection.isOpen ? EMPTY : connection.closed$.pipe(ignoreElements());
  }

  /** Whether the player has come back less than a second ago. */
  get isJustBack(): boolean {
    return this.#sinceReturn?.closed === false;
  }

  get mayComeBack(): boolean {
    return !this.#isEnded && this.#state !== 'left' && !this.#connection?.isOver;
  }

  /**
   * Takes the connection on which the player has come back, instead of the one that they may still
   * have.
   */
  comeBack(visitor: Visitor, connection: Connection): void {
    this.#sinceReturn = timer(RETURN_SPACING_MS, this.#gate.settings.scheduler).subscribe();
    const old = this.#connection;
    this.#connection = undefined;
    old?.replace(closeCode('replaced'));
    if (old) this.#goAway(closeCode('replaced'));
    // A subscriber may have closed it.
    if (this.#state === 'left') {
      const { expired } = REFUSALS;
      this.#gate.settings.report.onRefused(expired, expired.code, visitor.address);
      return connection.closeOrTerminate(expired.code, expired.reason);
    }
    this.#meet(visitor);
    this.attach(connection);
    this.watchConnection();
  }

  #meet({ address, url, headers }: Visitor): void {
    this.address = this.#clean(address);
    this.url = this.#clean(this.#gate.settings.token === 'query' ? splitToken(url).url : url);
    this.#headers = this.#cleanHeaders(headers);
  }

  #welcome(connection: Connection): void {
    const { grace, report } = this.#gate.settings;
    if (connection.isOurs) connection.send(welcomeText(grace > 0 ? this.returnTicket : undefined, grace));
    if (this.#state === 'away') {
      this.#state = 'open';
      report.onReturned(this.address);
      this.#status$.next('open');
    }
    connection.passTo(this.#messages);
  }

  #comesBackWith(hash: string): void {
    if (this.#gate.settings.grace > 0 && this.#state !== 'left') this.#gate.byTicket.set(hash, this);
  }

  #goAway(closed: SocketClosed): void {
    const { settings, closed$ } = this.#gate;
    const { grace, report, scheduler } = settings;
    this.#state = 'away';
    report.onAway(this.address, closed);
    this.#status$.next('away');
    const isOver$ = race(closed$, timer(grace, scheduler)).pipe(take(1));
    // A subscriber may have closed it, which TypeScript does not expect of `#state`.
    if (this.state !== 'left') this.#grace = isOver$.subscribe(() => this.#leave(closed));
  }

  #leave(closed: SocketClosed): void {
    if (this.#state === 'left') return;
    const wasAway = this.#state === 'away';
    this.#state = 'left';
    this.#grace?.unsubscribe();
    this.#sinceReturn?.unsubscribe();
    this.#status$.complete();
    this.#messages.end();
    this.#closed$.next(closed);
    this.#closed$.complete();
    this.#gate.byTicket.delete(hashOfPresented(this.#presented));
    if (this.#ticket !== undefined) this.#gate.byTicket.delete(hashOfTicket(this.#ticket));
    // Emitted last, since the gate may complete then.
    this.#left$.next(wasAway ? { ...closed, wasAway } : closed);
    this.#left$.complete();
  }

  /**
   * Removes the secrets from a text. A client may repeat them anywhere, in a cookie, in the URL of
   * its page, or as the reason of its close frame.
   */
  #clean(text: string): string {
    const { token, ownTicket } = this.#presented;
    const secrets = [token, ownTicket, this.#ticket];
    return redact(
      text,
      secrets.filter(secret => secret !== undefined),
    );
  }

  #cleanHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const clean = new Map<string, string | string[]>();
    for (const [name, value] of Object.entries(headers)) {
      if (Array.isArray(value)) {
        const values = value.map(text => this.#clean(text));
        clean.set(name, values);
      } else if (value !== undefined) {
        clean.set(name, this.#clean(value));
      }
    }
    return Object.fromEntries(clean);
  }
}
