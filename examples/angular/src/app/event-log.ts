import { ChangeDetectionStrategy, Component, effect, signal, untracked } from '@angular/core';
import { injectFeed } from 'lobby-rx/angular';

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly icon: string;
  /** What colours it: the presence of who it is about, or its kind. */
  readonly about: string;
  readonly text: string;
}

const MOST_ENTRIES = 50;

/** What has happened while the page was open, the latest first. */
@Component({
  selector: 'board-event-log',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <h2>
      Live
      <span class="count" data-testid="event-count">{{
        count() === 1 ? '1 event' : count() + ' events'
      }}</span>
    </h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Live events">
      <ol>
        @for (entry of entries(); track entry.id) {
          <li class="event">
            <span aria-hidden="true" [attr.data-about]="entry.about">{{ entry.icon }}</span>
            <span class="text" dir="auto">{{ entry.text }}</span>
            <time>{{ entry.at }}</time>
          </li>
        } @empty {
          <li class="note">Nothing yet. What your friends do appears here.</li>
        }
      </ol>
    </div>
  `,
})
export class EventLog {
  readonly entries = signal<readonly Entry[]>([]);
  readonly count = signal(0);

  constructor() {
    const feed = injectFeed();
    effect(() => {
      const gap = feed.gap();
      if (!gap) return;
      untracked(() => this.#add('⚠', 'gap', 'Something may have been missed here.'));
      feed.dismiss(gap);
    });
    feed.on('identity_update', ({ identity }) => {
      const status = identity.presence?.status ?? 'offline';
      const activity = identity.presence?.game_activity;
      const plays = activity ? `, playing ${activity.game.display_name}` : '';
      this.#add('●', status, `${identity.display_name} is ${status}${plays}.`);
    });
    feed.on('matchmaker_lobby_join', ({ lobby }) =>
      this.#add('▶', 'join', `You have a place in lobby ${lobby.lobby_id.slice(0, 8)}.`),
    );
    feed.on('unknown', ({ name, notification }) =>
      this.#add('✉', 'message', notification ? `${notification.title}: ${notification.description}` : name),
    );
  }

  #add(icon: string, about: string, text: string): void {
    const id = this.count() + 1;
    const at = new Date().toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    this.count.set(id);
    this.entries.update(before => [{ id, at, icon, about, text }, ...before].slice(0, MOST_ENTRIES));
  }
}
