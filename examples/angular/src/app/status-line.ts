import { ChangeDetectionStrategy, Component, computed, effect, inject, NgZone, signal } from '@angular/core';
import { interval } from 'rxjs';
import { injectFeed } from 'lobby-rx/angular';

/** Says how the feed is: live, reconnecting in some seconds, or offline. */
@Component({
  selector: 'board-status-line',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <span class="pill" aria-hidden="true" [attr.data-state]="state()" [title]="reason()"
      ><i></i>{{ text() }}</span
    >
    @if (state() === 'retrying' || state() === 'offline') {
      <button class="quiet" (click)="retry()">Try now</button>
    }
    <!-- Without the countdown, which a screen reader would read each second. -->
    <span class="spoken" role="status">{{ spoken() }}</span>
  `,
})
export class StatusLine {
  readonly #feed = injectFeed();
  readonly #now = signal(Date.now());

  readonly state = computed(() => this.#feed.status().state);
  readonly reason = computed(() => {
    const { error } = this.#feed.status();
    if (error instanceof Error) return error.message;
    return this.#feed.leads() ? '' : 'This tab is kept up to date by another one.';
  });
  readonly spoken = computed(() => {
    if (this.state() === 'retrying') return 'Reconnecting';
    return this.state() === 'closed' ? `Ended: ${this.reason()}` : this.text();
  });
  readonly text = computed(() => {
    const { nextTry } = this.#feed.status();
    switch (this.state()) {
      case 'live':
        return 'Live';
      case 'retrying': {
        const seconds = nextTry === undefined ? 0 : Math.ceil((nextTry - this.#now()) / 1_000);
        return seconds > 0 ? `Reconnecting… next try in ${seconds} s` : 'Reconnecting…';
      }
      case 'offline':
        return 'Offline';
      case 'closed':
        return 'Ended';
      default:
        return 'Connecting';
    }
  });

  retry(): void {
    this.#feed.reload();
  }

  constructor() {
    const zone = inject(NgZone);
    // Counts down, and costs nothing while there is nothing to count.
    effect(onCleanup => {
      if (this.state() !== 'retrying') return;
      const counting = zone.runOutsideAngular(() => interval(500).subscribe(() => this.#now.set(Date.now())));
      this.#now.set(Date.now());
      onCleanup(() => counting.unsubscribe());
    });
  }
}
