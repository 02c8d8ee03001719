import { afterNextRender, DestroyRef, inject, signal } from '@angular/core';
import { lobbyAddress, type LobbyJoin } from 'lobby-rx';
import { injectFeed } from 'lobby-rx/angular';
import { SESSION } from './session';

/** A player on the board of the game. */
export interface Player {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/**
 * What the lobby server sends: a ticket to come back with, which this page does not use, then each
 * state of the game.
 */
interface Game {
  readonly players?: readonly Player[];
  readonly chat?: { readonly name: string; readonly text: string };
}

export type RoomState = 'outside' | 'finding' | 'joining' | 'inside' | 'elsewhere' | 'refused';

export interface ChatLine {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

const MOST_LINES = 50;

/** How long the tabs that have not asked for a lobby let the one that has go first, in ms. */
const HEAD_START = 500;

/** How long to wait for a place, in ms. */
const PATIENCE = 15_000;

/** Leads to the lobby that a lobby join names, and plays there. */
export function injectLobbyRoom() {
  const state = signal<RoomState>('outside');
  const reason = signal('');
  const players = signal<readonly Player[]>([]);
  const chat = signal<readonly ChatLine[]>([]);
  const region = signal('');
  const session = inject(SESSION);
  const name = session?.name || 'Player';
  const lockName = `lobby of ${session?.id}`;
  let socket: WebSocket | undefined;
  let lines = 0;

  const refuse = (why: string) => {
    if (state() !== 'finding') return;
    reason.set(why);
    state.set('refused');
  };
  const receive = (game: Game) => {
    state.set('inside');
    const { players: now, chat: said } = game;
    if (now) players.set(now);
    if (said) chat.update(before => [...before, { id: ++lines, ...said }].slice(-MOST_LINES));
  };

  /**
   * Resolves when the player is out. The token is the first message, because URLs get into logs.
   */
  const play = ({ lobby, player, ports }: LobbyJoin) =>
    new Promise<void>(resolve => {
      region.set(lobby.region.display_name);
      const url = new URL(lobbyAddress({ ports }).url);
      url.searchParams.set('name', name);
      state.set('joining');
      const opened = new WebSocket(url);
      socket = opened;
      opened.onopen = () => opened.send(player.token);
      opened.onmessage = ({ data }) => receive(JSON.parse(data as string) as Game);
      opened.onclose = event => {
        socket = undefined;
        players.set([]);
        reason.set(event.reason || `code ${event.code}`);
        state.set(event.code === 1000 ? 'outside' : 'refused');
        resolve();
      };
    });

  /**
   * All tabs hear of a lobby join. The one that has asked for it plays, or else the first that
   * takes the lock. The others wait until it is out.
   */
  const join = async (event: LobbyJoin) => {
    if (socket) return;
    if (state() !== 'finding') await new Promise(resolve => setTimeout(resolve, HEAD_START));
    const hasPlayed = await navigator.locks.request(lockName, { ifAvailable: true }, async lock => {
      if (lock) await play(event);
      return lock !== null;
    });
    if (!hasPlayed) await waitElsewhere();
  };
  const waitElsewhere = async () => {
    state.set('elsewhere');
    await navigator.locks.request(lockName, () => state.set('outside'));
  };
  // A tab that is opened during a game.
  afterNextRender(async () => {
    const { held = [] } = await navigator.locks.query();
    if (state() === 'outside' && held.some(lock => lock.name === lockName)) await waitElsewhere();
  });

  injectFeed().on('matchmaker_lobby_join', event => void join(event));
  inject(DestroyRef).onDestroy(() => socket?.close(1000));

  return {
    state,
    reason,
    players,
    chat,
    region,
    name,
    /** Asks the matchmaker for a place. Its answer comes as a lobby join. */
    find: async () => {
      state.set('finding');
      const answer = await fetch('/matchmaker/find', { method: 'POST' }).catch(() => undefined);
      if (answer?.ok) {
        setTimeout(() => refuse('there was no answer'), PATIENCE);
        return;
      }
      refuse(answer?.status === 503 ? 'the lobby is full' : 'there is no matchmaker');
    },
    move: (dx: number, dy: number) => socket?.send(JSON.stringify({ move: { dx, dy } })),
    say: (text: string) => socket?.send(JSON.stringify({ say: text })),
    leave: () => socket?.close(1000),
  };
}
