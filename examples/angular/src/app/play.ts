import {
  ChangeDetectionStrategy,
  Component,
  computed,
  ElementRef,
  inject,
  viewChild,
  afterRenderEffect,
} from '@angular/core';
import { LobbyRoom } from './lobby-room';
import { initialsOf } from './person';

/** The board is a square with this many fields per side. */
const SIZE = 8;

const STEPS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** The lobby: how to get in, and the game that is played there. */
@Component({
  selector: 'board-play',
  providers: [LobbyRoom],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <h2>
      Lobby
      @if (room.state() === 'inside') {
        <span class="count">{{ room.players().length }} playing in {{ room.region() }}</span>
      }
    </h2>
    @if (room.state() === 'inside') {
      <div
        #game
        class="game"
        tabindex="0"
        role="application"
        aria-label="Board: move with the arrow keys"
        [attr.aria-description]="positions()"
        (keydown)="onKey($event)"
      >
        @for (field of fields(); track $index) {
          <span [class.taken]="field.text !== ''" [class.mine]="field.isMine">{{ field.text }}</span>
        }
      </div>
      <div class="moves" role="group" aria-label="Move">
        <button class="up" aria-label="Up" (click)="room.move(0, -1)">↑</button>
        <button class="left" aria-label="Left" (click)="room.move(-1, 0)">←</button>
        <button class="down" aria-label="Down" (click)="room.move(0, 1)">↓</button>
        <button class="right" aria-label="Right" (click)="room.move(1, 0)">→</button>
      </div>
      <button class="quiet leave" (click)="room.leave()">Leave</button>
      <div #chat class="chat" role="log" aria-label="Chat" tabindex="0">
        @for (line of room.chat(); track line.id) {
          <p>
            <strong>{{ line.name }}</strong> {{ line.text }}
          </p>
        } @empty {
          <p class="muted">No messages yet.</p>
        }
      </div>
      <form class="say" (submit)="say($event, text)">
        <input
          #text
          aria-label="Say something"
          placeholder="Say something"
          autocomplete="off"
          maxlength="200"
        />
        <button class="primary">Send</button>
      </form>
    } @else {
      <div class="outside">
        <div class="game empty" aria-hidden="true">
          @for (field of fields(); track $index) {
            <span></span>
          }
        </div>
        <p class="muted" role="status">{{ hint() }}</p>
        @if (room.state() !== 'elsewhere') {
          <button #join class="primary" [disabled]="isBusy()" (click)="room.find()">Join a lobby</button>
        }
        <p class="muted aside">A second player: open the other link of the terminal in a private window.</p>
      </div>
    }
  `,
})
export class Play {
  readonly room = inject(LobbyRoom);

  protected readonly game = viewChild<ElementRef<HTMLElement>>('game');
  protected readonly join = viewChild<ElementRef<HTMLElement>>('join');
  protected readonly chat = viewChild<ElementRef<HTMLElement>>('chat');

  constructor() {
    // A player who has joined by keyboard goes on there, and back at the button after the game.
    let wasInside = false;
    afterRenderEffect(() => {
      const game = this.game()?.nativeElement;
      if (game) game.focus();
      else if (wasInside) this.join()?.nativeElement.focus();
      wasInside = game !== undefined;
    });
    afterRenderEffect(() => {
      this.room.chat();
      const chat = this.chat()?.nativeElement;
      chat?.scrollTo(0, chat.scrollHeight);
    });
  }

  readonly isBusy = computed(() => ['finding', 'joining'].includes(this.room.state()));
  readonly hint = computed(() => {
    switch (this.room.state()) {
      case 'finding':
        return 'Looking for a lobby…';
      case 'joining':
        return 'Joining…';
      case 'elsewhere':
        return 'You are playing in another tab.';
      case 'refused':
        return `You are not in: ${this.room.reason()}.`;
      default:
        return 'Find a lobby, move around, and chat with the others.';
    }
  });
  readonly fields = computed(() => {
    const fields = Array.from({ length: SIZE * SIZE }, () => ({ text: '', isMine: false }));
    for (const { name, x, y } of this.room.players()) {
      const field = fields[y * SIZE + x];
      if (!field) continue;
      field.text += initialsOf(name, 1);
      field.isMine ||= name === this.room.name;
    }
    return fields;
  });
  readonly positions = computed(() =>
    this.room
      .players()
      .map(({ name, x, y }) => `${name} in column ${x + 1}, row ${y + 1}`)
      .join('; '),
  );

  onKey(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.room.move(...step);
  }

  say(event: Event, text: HTMLInputElement): void {
    event.preventDefault();
    if (text.value.trim() !== '') this.room.say(text.value);
    text.value = '';
  }
}
