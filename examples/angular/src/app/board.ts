import { ChangeDetectionStrategy, Component, input, signal } from '@angular/core';
import { EventLog } from './event-log';
import { Members } from './members';
import { Play } from './play';
import type { Session } from './session';
import { StatusLine } from './status-line';
import { Toasts } from './toasts';

/** The page of a player who is signed in. */
@Component({
  selector: 'board-board',
  imports: [EventLog, Members, Play, StatusLine, Toasts],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <a class="skip" href="/#lobby">Skip to the lobby</a>
    <header class="bar">
      <img src="favicon.svg" alt="" width="28" height="28" />
      <h1>Lobby board</h1>
      <board-status-line />
      <span class="me" dir="auto">{{ session().name || 'Player' }} <small>(you)</small></span>
      <form method="post" action="/session/end">
        <button class="quiet">Sign out</button>
      </form>
    </header>
    <!-- Where there is room for one column only. -->
    <nav class="parts" aria-label="Parts of the board">
      @for (part of parts; track part) {
        <button [attr.aria-pressed]="shown() === part" (click)="shown.set(part)">{{ part }}</button>
      }
    </nav>
    <main class="columns" [attr.data-shown]="shown()">
      <board-play id="lobby" class="card" tabindex="-1" />
      <board-members class="card" [session]="session()" />
      <board-event-log class="card" />
    </main>
    <board-toasts />
  `,
})
export class Board {
  readonly session = input.required<Session>();
  readonly parts = ['Lobby', 'Members', 'Live'] as const;
  readonly shown = signal<(typeof this.parts)[number]>('Lobby');
}
