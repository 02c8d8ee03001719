import { delay, merge, Observable, of, Subject, take, timer, type SchedulerLike } from 'rxjs';
import type { Transport } from 'lobby-rx';
import { handle } from '../../payload.js';

/** How a service pages: by the number of members before, or by the time of the last one's join. */
export type Anchors = 'offset' | 'join';

/** How long polls are held. */
const HELD_MS = 40_000;

interface Member {
  readonly id: string;
  readonly joinedAt: number;
  status: string;
}

/** A group as a service has it, whose pages are read one by one over a network that may fail. */
export class ModelGroup {
  readonly members: Member[] = [];
  readonly lastSeen = new Map<string, number>();
  /** How often the second page has been requested. */
  pagesRead = 0;
  /** This part of the requests fails. */
  failing = 0;
  /** All pages but the first one fail. */
  failingPages = false;
  readonly #changed$ = new Subject<void>();
  #index = 1;

  constructor(
    private readonly scheduler: SchedulerLike,
    private readonly random: () => number,
    private readonly anchors: Anchors,
    private readonly count: number,
  ) {}

  join(id: string): void {
    if (this.members.some(member => member.id === id)) return;
    this.members.push({ id, joinedAt: this.scheduler.now() + this.members.length / 1_000, status: 'a' });
    this.#announce();
  }

  leave(id: string): void {
    const i = this.members.findIndex(member => member.id === id);
    if (i < 0) return;
    this.members.splice(i, 1);
    this.lastSeen.set(id, this.scheduler.now());
    this.#announce();
  }

  /** A change of presence answers a poll of its page only; the model announces the first. */
  change(id: string): void {
    const i = this.members.findIndex(member => member.id === id);
    if (i < 0) return;
    this.members[i]!.status = String(this.random());
    if (i < this.count) this.#announce();
  }

  #announce(): void {
    this.#index++;
    // The service collects what happens for a moment.
    this.scheduler.schedule(() => this.#changed$.next(), 100);
  }

  #page(anchor: string | null): string {
    const from = anchor === null ? 0 : this.#offsetOf(anchor);
    const page = this.members.slice(from, from + this.count);
    const isLast = from + page.length >= this.members.length;
    const next = this.anchors === 'offset' ? from + page.length : page.at(-1)?.joinedAt;
    return JSON.stringify({
      members: page.map(({ id, status }) => ({
        identity: { ...handle, identity_id: id, presence: { update_ts: '2026-01-01T00:00:00Z', status } },
      })),
      anchor: isLast ? null : String(next),
      watch: { index: String(this.#index) },
    });
  }

  /** How many members come before the page of an anchor. */
  #offsetOf(anchor: string): number {
    if (this.anchors === 'offset') return Number(anchor);
    return this.members.filter(({ joinedAt }) => joinedAt <= Number(anchor)).length;
  }

  readonly transport: Transport = ({ url }) => {
    const query = new URL(url).searchParams;
    const anchor = query.get('anchor');
    if (anchor === String(this.count)) this.pagesRead++;
    const latency = () => 1 + Math.floor(this.random() * 200);
    const answer = () => ({
      status: this.random() < this.failing || (this.failingPages && anchor !== null) ? 503 : 200,
      headers: { get: () => null },
      text: this.#page(anchor),
    });
    const held = query.get('watch_index') === String(this.#index);
    return new Observable(subscriber => {
      const respond = () =>
        subscriber.add(of(answer()).pipe(delay(latency(), this.scheduler)).subscribe(subscriber));
      // A poll whose index is current is held until something changes.
      if (!held) return respond();
      const ended$ = timer(HELD_MS, this.scheduler);
      subscriber.add(merge(this.#changed$, ended$).pipe(take(1)).subscribe(respond));
    });
  };
}
