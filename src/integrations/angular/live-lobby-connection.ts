import { effect, inject, signal, untracked, type Signal } from '@angular/core';
import { Subject, type Subscription } from 'rxjs';
import { atOnce } from '../../error/index.js';
import {
  lobbyConnection,
  type LobbyConnection,
  type LobbyConnectionConfig,
  type LobbyEntrance,
  type LobbyStatus,
  type PlayerMessage,
} from '../../player/index.js';
import { debugName } from './debug-name.js';
import { injectFollow, injectHandle } from './inject-follow.js';
import { CLIENT_APP } from './lobby.js';

/**
 * A player's connection to a lobby as signals, until the component or service that injected it is
 * destroyed. Then the player leaves.
 */
export interface LiveLobbyConnection {
  /** The status: `live`, `retrying` and so on. `undefined` without a lobby, and on a server. */
  readonly status: Signal<LobbyStatus | undefined>;
  /** The last message of the lobby. */
  readonly message: Signal<PlayerMessage | undefined>;
  /** Sends a message. Returns false if it was dropped, because the player is not in. */
  send(message: PlayerMessage): boolean;
  /**
   * Calls a handler, inside the zone, for each message of the lobby, until the component or service
   * is destroyed. An error of the handler goes to Angular's `ErrorHandler`, and so does that of a
   * promise or an Observable that it returns.
   */
  on(handler: (message: PlayerMessage) => void): Subscription;
}

/**
 * Injects a player's connection to a lobby. `entrance` may read signals. When it changes, the
 * player leaves the lobby and enters the other one. While it is `undefined`, there is none. On a
 * server it does not connect. Signals are set outside of the zone.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly feed = injectFeed();
 * readonly lobby = injectLobbyConnection(this.feed.lobbyJoin, { path: '/play' });
 */
export function injectLobbyConnection(
  entrance: () => LobbyEntrance | undefined,
  config: LobbyConnectionConfig = {},
): LiveLobbyConnection {
  const { zone, serverVisit } = inject(CLIENT_APP);
  const handle = injectHandle();
  const follow = injectFollow();
  const status = signal<LobbyStatus | undefined>(undefined, debugName('lobbyConnection.status'));
  const latest = signal<PlayerMessage | undefined>(undefined, debugName('lobbyConnection.message'));
  const message$ = new Subject<PlayerMessage>();
  let current: LobbyConnection | undefined;

  effect(onCleanup => {
    const wanted = atOnce('entrance', entrance)();
    if (!wanted || serverVisit) return;
    const connection = untracked(() => lobbyConnection(wanted, config));
    current = connection;
    const following = zone.outside(connection.status$).subscribe(next => status.set(next));
    const messages = zone.outside(connection).subscribe({
      next: message => {
        latest.set(message);
        message$.next(message);
      },
      // The status says why.
      error: () => undefined,
    });
    onCleanup(() => {
      following.unsubscribe();
      messages.unsubscribe();
      current = undefined;
      status.set(undefined);
      latest.set(undefined);
    });
  });
  return {
    status: status.asReadonly(),
    message: latest.asReadonly(),
    send: message => current?.send(message) ?? false,
    on: handler => follow(message$, message => handle('handler', () => handler(message))),
  };
}
