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
  signal,
  viewChild,
} from '@angular/core';
import type { IdentityHandle } from 'lobby-rx';
import { injectRoster } from 'lobby-rx/angular';
import { acrossTabs } from 'lobby-rx/browser';
import { Person } from './person';
import type { Session } from './session';

/** So many members are added when the end of the list comes into view. */
const PAGE = 24;

const ORDER: readonly string[] = ['online', 'away'];
const collator = new Intl.Collator();

/** Those who are there come first. */
function rankOf({ presence }: IdentityHandle): number {
  const rank = ORDER.indexOf(presence?.status ?? '');
  return rank < 0 ? ORDER.length : rank;
}

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
    <input
      class="search"
      type="search"
      aria-label="Search the members"
      placeholder="Search"
      (input)="search.set($any($event.target).value)"
    />
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
      } @else if (shown().length === 0) {
        <p class="note">No member has that name.</p>
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

  readonly search = signal('');
  readonly #all = computed(() => [...(this.roster.value()?.members.values() ?? [])]);
  readonly #sorted = computed(() =>
    [...this.#all()].sort(
      ({ identity: one }, { identity: other }) =>
        rankOf(one) - rankOf(other) || collator.compare(one.display_name, other.display_name),
    ),
  );
  readonly #found = computed(() => {
    const wanted = this.search().trim().toLocaleLowerCase();
    if (wanted === '') return this.#sorted();
    return this.#sorted().filter(({ identity }) =>
      identity.display_name.toLocaleLowerCase().includes(wanted),
    );
  });
  readonly #count = linkedSignal({
    source: () => [this.session().group_id, this.search()],
    computation: () => PAGE,
  });
  protected readonly end = viewChild.required<ElementRef<HTMLElement>>('end');
  readonly reason = computed(() => {
    const error = this.roster.error();
    return error instanceof Error ? error.message : '';
  });
  readonly shown = computed(() => this.#found().slice(0, this.#count()));
  readonly online = computed(
    () => this.#all().filter(({ identity }) => identity.presence?.status === 'online').length,
  );

  constructor() {
    const destroyRef = inject(DestroyRef);
    afterNextRender(() => {
      const observer = new IntersectionObserver(
        entries => {
          const isNear = entries.some(({ isIntersecting }) => isIntersecting);
          if (isNear && this.#count() < this.#found().length) {
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
