import { afterNextRender, DestroyRef, inject, Injectable, signal } from '@angular/core';
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
const HEAD_START_MS = 500;

/** How long to wait for a place, in ms. */
const PATIENCE_MS = 15_000;

/** Leads to the lobby that a lobby join names, and plays there. */
@Injectable()
export class LobbyRoom {
  readonly #state = signal<RoomState>('outside');
  readonly #reason = signal('');
  readonly #players = signal<readonly Player[]>([]);
  readonly #chat = signal<readonly ChatLine[]>([]);
  readonly #region = signal('');
  readonly #session = inject(SESSION);
  readonly #lockName = `lobby of ${this.#session?.id}`;
  #socket: WebSocket | undefined;
  #lastLine = 0;

  readonly state = this.#state.asReadonly();
  readonly reason = this.#reason.asReadonly();
  readonly players = this.#players.asReadonly();
  readonly chat = this.#chat.asReadonly();
  readonly region = this.#region.asReadonly();
  readonly name = this.#session?.name || 'Player';

  constructor() {
    // A tab that is opened during a game.
    afterNextRender(async () => {
      const { held = [] } = await navigator.locks.query();
      const isPlaying = held.some(lock => lock.name === this.#lockName);
      if (this.#state() === 'outside' && isPlaying) await this.#waitElsewhere();
    });
    injectFeed().on('matchmaker_lobby_join', event => void this.#join(event));
    inject(DestroyRef).onDestroy(() => this.leave());
  }

  /** Asks the matchmaker for a place. Its answer comes as a lobby join. */
  async find(): Promise<void> {
    this.#state.set('finding');
    const answer = await fetch('/matchmaker/find', { method: 'POST' }).catch(() => undefined);
    if (answer?.ok) {
      setTimeout(() => this.#refuse('there was no answer'), PATIENCE_MS);
      return;
    }
    this.#refuse(answer?.status === 503 ? 'the lobby is full' : 'there is no matchmaker');
  }

  move(dx: number, dy: number): void {
    this.#socket?.send(JSON.stringify({ move: { dx, dy } }));
  }

  say(text: string): void {
    this.#socket?.send(JSON.stringify({ say: text }));
  }

  leave(): void {
    this.#socket?.close(1000);
  }

  /**
   * All tabs hear of a lobby join. The one that has asked for it plays, or else the first that
   * takes the lock. The others wait until it is out.
   */
  async #join(event: LobbyJoin): Promise<void> {
    if (this.#socket) return;
    if (this.#state() !== 'finding') await new Promise(resolve => setTimeout(resolve, HEAD_START_MS));
    const hasPlayed = await navigator.locks.request(this.#lockName, { ifAvailable: true }, async lock => {
      if (lock) await this.#play(event);
      return lock !== null;
    });
    if (!hasPlayed) await this.#waitElsewhere();
  }

  /**
   * Resolves when the player is out. The token is the first message, because URLs get into logs.
   */
  #play({ lobby, player, ports }: LobbyJoin): Promise<void> {
    this.#region.set(lobby.region.display_name);
    const url = new URL(lobbyAddress({ ports }).url);
    url.searchParams.set('name', this.name);
    this.#state.set('joining');
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.onopen = () => socket.send(player.token);
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data as string) as Game);
    return new Promise(resolve => {
      socket.onclose = event => {
        this.#socket = undefined;
        this.#players.set([]);
        this.#reason.set(event.reason || `code ${event.code}`);
        this.#state.set(event.code === 1000 ? 'outside' : 'refused');
        resolve();
      };
    });
  }

  #receive({ players, chat }: Game): void {
    this.#state.set('inside');
    if (players) this.#players.set(players);
    if (!chat) return;
    const line = { id: ++this.#lastLine, ...chat };
    this.#chat.update(before => [...before, line].slice(-MOST_LINES));
  }

  #refuse(why: string): void {
    if (this.#state() !== 'finding') return;
    this.#reason.set(why);
    this.#state.set('refused');
  }

  async #waitElsewhere(): Promise<void> {
    this.#state.set('elsewhere');
    await navigator.locks.request(this.#lockName, () => this.#state.set('outside'));
  }
}
