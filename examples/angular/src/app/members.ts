import { CdkFixedSizeVirtualScroll, CdkVirtualForOf, CdkVirtualScrollViewport } from '@angular/cdk/scrolling';
import {
  afterNextRender,
  ChangeDetectionStrategy,
  Component,
  computed,
  effect,
  input,
  signal,
  viewChild,
} from '@angular/core';
import { isUnauthorizedError, type GroupMember, type IdentityHandle } from 'lobby-rx';
import { injectRoster } from 'lobby-rx/angular';
import { acrossTabs } from 'lobby-rx/browser';
import { Person } from './person';
import type { Session } from './session';

/** So many members are in the page that the server renders. */
const FIRST = 24;

const ORDER: readonly string[] = ['online', 'away'];
const HEADINGS: readonly string[] = ['Online', 'Away', 'Offline'];
const collator = new Intl.Collator();

/** A heading or a member. */
interface Row {
  readonly id: string;
  readonly heading?: string;
  readonly member?: GroupMember;
  readonly position?: number;
}

/** Those who are there come first. */
function rankOf({ presence }: IdentityHandle): number {
  const rank = ORDER.indexOf(presence?.status ?? '');
  return rank < 0 ? ORDER.length : rank;
}

/**
 * The members of a group with their presence. Only those in view are in the page, however many
 * there are.
 */
@Component({
  selector: 'board-members',
  imports: [CdkFixedSizeVirtualScroll, CdkVirtualForOf, CdkVirtualScrollViewport, Person],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <h2>
      Members
      @if (roster.value(); as members) {
        <span class="count">{{ online() }} of {{ members.size }} online</span>
      }
    </h2>
    <input
      class="search"
      type="search"
      aria-label="Search the members"
      placeholder="Search"
      (input)="search.set($any($event.target).value)"
    />
    @if (roster.status().error && !roster.hasValue()) {
      <p class="note">
        The members cannot be shown. {{ reason() }}
        <button class="quiet" (click)="roster.reload()">Try again</button>
      </p>
    } @else if (!roster.hasValue()) {
      <p class="note">Loading…</p>
    } @else if (found().length === 0) {
      <p class="note">No member has that name.</p>
    }
    @if (isInBrowser()) {
      <cdk-virtual-scroll-viewport
        class="scroll"
        itemSize="56"
        tabindex="0"
        role="region"
        aria-label="Members of the group"
      >
        <ul>
          <ng-container *cdkVirtualFor="let row of rows(); trackBy: idOf">
            @if (row.member; as member) {
              <li [attr.aria-posinset]="row.position" [attr.aria-setsize]="found().length">
                <board-person [identity]="member.identity" />
              </li>
            } @else {
              <!-- A screen reader hears of it with each of them. -->
              <li class="heading" aria-hidden="true">{{ row.heading }}</li>
            }
          </ng-container>
        </ul>
      </cdk-virtual-scroll-viewport>
    } @else {
      <div class="scroll">
        <ul>
          @for (member of found().slice(0, first); track member.identity.identity_id) {
            <li><board-person [identity]="member.identity" /></li>
          }
        </ul>
      </div>
    }
  `,
})
export class Members {
  readonly session = input.required<Session>();
  // A watch is a pending request, and a browser has six connections to a host, for all tabs
  // together.
  readonly roster = injectRoster(
    () => this.session().group_id,
    group_id => ({
      share: acrossTabs(`${this.session().id}: members of ${group_id}`),
    }),
  );

  readonly search = signal('');
  readonly #all = computed(() => [...(this.roster.value()?.values() ?? [])]);
  readonly #sorted = computed(() =>
    [...this.#all()].sort(
      ({ identity: one }, { identity: other }) =>
        rankOf(one) - rankOf(other) || collator.compare(one.display_name, other.display_name),
    ),
  );
  readonly found = computed(() => {
    const wanted = this.search().trim().toLocaleLowerCase();
    if (wanted === '') return this.#sorted();
    return this.#sorted().filter(({ identity }) =>
      identity.display_name.toLocaleLowerCase().includes(wanted),
    );
  });
  /** Those who are found, under the heading of their presence. */
  readonly rows = computed(() => {
    const rows: Row[] = [];
    let rank = -1;
    this.found().forEach((member, i) => {
      const next = rankOf(member.identity);
      if (next !== rank) rows.push({ id: `heading ${next}`, heading: HEADINGS[next] });
      rank = next;
      rows.push({ id: member.identity.identity_id, member, position: i + 1 });
    });
    return rows;
  });
  readonly reason = computed(() => {
    const { error } = this.roster.status();
    if (isUnauthorizedError(error)) return 'Sign out, and in again.';
    return error instanceof Error ? error.message : '';
  });
  readonly online = computed(
    () => this.#all().filter(({ identity }) => identity.presence?.status === 'online').length,
  );

  /** How much is in view is not known on the server. */
  readonly isInBrowser = signal(false);
  readonly first = FIRST;
  protected readonly viewport = viewChild(CdkVirtualScrollViewport);

  constructor() {
    afterNextRender(() => this.isInBrowser.set(true));
    effect(() => {
      this.search();
      this.viewport()?.scrollToIndex(0);
    });
  }

  readonly idOf = (_: number, { id }: Row): string => id;
}
