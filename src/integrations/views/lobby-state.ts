import { Subscription, timer } from 'rxjs';
import {
  checkArgument,
  checkOptions,
  milliseconds,
  observableInput,
  type Options,
} from '../../error/index.js';
import type { LobbyConnection, LobbyStatus, PlayerMessage } from '../../player/index.js';
import { SharedState, subscribeWhileOpen, type StateObservable } from './state-observable.js';

/** A player's connection to a lobby: its status, and the last message of the lobby. */
export interface LobbyState {
  /** Absent until there is one. */
  readonly message?: PlayerMessage;
  readonly status: LobbyStatus;
}

/** The options of {@link lobbyState}. */
export interface LobbyStateConfig {
  /**
   * How long the player stays in after the last subscriber has left, in ms. Components may be
   * mounted twice in a row, and a token works once. Default 1,000.
   */
  readonly linger?: number;
}

const OPTIONS: Options<LobbyStateConfig> = { linger: milliseconds };
const LINGER_MS = 1_000;

const states = new WeakMap<LobbyConnection, ConnectionState>();

/**
 * A `lobbyConnection` as a state that components show. The same connection is the same state. The
 * player is in while it has subscribers, and leaves `linger` ms after the last of them. It never
 * fails. If the player is out, the status is `closed`, with an `error`. `reload()` then connects
 * again, with the token of the connection, which the lobby may refuse.
 *
 * Throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * lobbyState(connection).subscribe(({ message, status }) => render(message, status.state));
 */
export function lobbyState(
  connection: LobbyConnection,
  config: LobbyStateConfig = {},
): StateObservable<LobbyState> {
  checkArgument('connection', observableInput, connection);
  checkOptions(config, OPTIONS);
  const state = states.get(connection) ?? new ConnectionState(connection, config.linger ?? LINGER_MS);
  states.set(connection, state);
  return state;
}

class ConnectionState extends SharedState<LobbyState> {
  readonly #connection: LobbyConnection;
  readonly #linger: number;
  #playing = Subscription.EMPTY;
  #lingering = Subscription.EMPTY;

  constructor(connection: LobbyConnection, linger: number) {
    super({ status: connection.status }, { renders: false });
    this.#connection = connection;
    this.#linger = linger;
  }

  reload(): void {
    if (this.isWanted && this.#playing.closed) this.#play();
  }

  protected begin(): void {
    this.#lingering.unsubscribe();
    if (this.#playing.closed && this.value.status.state !== 'closed') this.#play();
  }

  protected end(): void {
    const leave = () => this.#playing.unsubscribe();
    if (this.#linger === 0) leave();
    else this.#lingering = timer(this.#linger).subscribe(leave);
  }

  #play(): void {
    const playing = new Subscription();
    this.#playing = playing;
    const show = (change: Partial<LobbyState>) => this.set({ ...this.value, ...change });
    const stop = () => playing.unsubscribe();
    subscribeWhileOpen(playing, this.#connection, {
      next: message => show({ message }),
      error: stop,
      complete: stop,
    });
    const following = this.#connection.status$.subscribe(status => {
      if (status !== this.value.status) show({ status });
    });
    // The status after the player has left.
    playing.add(() => {
      following.unsubscribe();
      show({ status: this.#connection.status });
    });
  }
}
