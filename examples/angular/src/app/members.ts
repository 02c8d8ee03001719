import {
  afterNextRender,
  ChangeDetectionStrategy,
  Component,
  computed,
  DestroyRef,
  ElementRef,
  inject,
  input,
  linkedSignal,
  viewChild,
} from '@angular/core';
import { injectRoster } from 'lobby-rx/angular';
import { acrossTabs } from 'lobby-rx/browser';
import { Person } from './person';
import type { Session } from './session';

/** So many members are added when the end of the list comes into view. */
const PAGE = 24;

/** The members of a group with their presence, as far as the player has scrolled. */
@Component({
  selector: 'board-members',
  imports: [Person],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <h2>
      Members
      @if (roster.value(); as roster) {
        <span class="count">{{ online() }} of {{ roster.members.size }} online</span>
      }
    </h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Members of the group">
      <ul>
        @for (member of shown(); track member.identity.identity_id) {
          <li><board-person [identity]="member.identity" /></li>
        }
      </ul>
      @if (roster.error() && !roster.value()) {
        <p class="note">
          The members cannot be shown. {{ reason() }}
          <button class="quiet" (click)="roster.reload()">Try again</button>
        </p>
      } @else if (!roster.value()) {
        <p class="note">Loading…</p>
      }
      <div #end class="end" aria-hidden="true"></div>
    </div>
  `,
})
export class Members {
  readonly session = input.required<Session>();
  // Each page that is watched is a pending request, and a browser has six connections to a host, for all tabs together.
  readonly roster = injectRoster(
    () => this.session().group_id,
    group_id => ({
      share: acrossTabs(`${this.session().id}: members of ${group_id}`),
    }),
  );

  readonly #all = computed(() => [...(this.roster.value()?.members.values() ?? [])]);
  readonly #count = linkedSignal({ source: () => this.session().group_id, computation: () => PAGE });
  protected readonly end = viewChild.required<ElementRef<HTMLElement>>('end');
  readonly reason = computed(() => {
    const error = this.roster.error();
    return error instanceof Error ? error.message : '';
  });
  readonly shown = computed(() => this.#all().slice(0, this.#count()));
  readonly online = computed(
    () => this.#all().filter(({ identity }) => identity.presence?.status === 'online').length,
  );

  constructor() {
    const destroyRef = inject(DestroyRef);
    afterNextRender(() => {
      const observer = new IntersectionObserver(
        entries => {
          const isNear = entries.some(({ isIntersecting }) => isIntersecting);
          if (isNear && this.#count() < this.#all().length) {
            this.#count.update(count => count + PAGE);
            // It tells of changes only: the end may still be in view.
            observer.unobserve(this.end().nativeElement);
            observer.observe(this.end().nativeElement);
          }
        },
        { rootMargin: '200px' },
      );
      observer.observe(this.end().nativeElement);
      destroyRef.onDestroy(() => observer.disconnect());
    });
  }
}
