import { deepStrictEqual, ok } from 'node:assert';
import { delay, NEVER, Observable, of, Subject, type SchedulerLike } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { handle } from '../../payload.js';
import { runs } from '../../runs.js';
import { randomNumbers } from '../../simulation/simulate.js';
import { virtualTime } from '../../virtual-time.js';

const SEED = Number(process.env.SEED ?? 20_261);

/** How long a leave may be announced at the earliest after somebody was a member, in ms, without being false. */
const SINCE = 30_000;

/** How a service pages: by the number of members before, or by the time of the last one's join. */
type Anchors = 'offset' | 'join';

interface Member {
  readonly id: string;
  readonly joinedAt: number;
  status: string;
}

/** A group as a service has it, whose pages are read one by one over a network that may fail. */
class ModelGroup {
  readonly members: Member[] = [];
  readonly lastSeen = new Map<string, number>();
  requests = 0;
  failing = 0;
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
    const from =
      anchor === null
        ? 0
        : this.anchors === 'offset'
          ? Number(anchor)
          : this.members.filter(({ joinedAt }) => joinedAt <= Number(anchor)).length;
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

  readonly transport: Transport = ({ url }) => {
    this.requests++;
    const query = new URL(url).searchParams;
    const latency = () => 1 + Math.floor(this.random() * 200);
    const answer = () => ({
      status: this.random() < this.failing ? 503 : 200,
      headers: { get: () => null },
      text: this.#page(query.get('anchor')),
    });
    const held = query.get('watch_index') === String(this.#index);
    return new Observable(subscriber => {
      const respond = () =>
        subscriber.add(of(answer()).pipe(delay(latency(), this.scheduler)).subscribe(subscriber));
      // A poll whose index is current is held until something changes.
      if (!held) return respond();
      subscriber.add(this.#changed$.subscribe(respond));
      subscriber.add(NEVER.subscribe());
    });
  };
}

/** What became of a roster of a random group in a few minutes. */
function follow(seed: number, anchors: Anchors, count: number, size: number, failing: number) {
  const random = randomNumbers(seed);
  const { scheduler, pass } = virtualTime();
  const group = new ModelGroup(scheduler, random, anchors, count);
  const people = Array.from({ length: size }, (_, i) => `p${i}`);
  for (const id of people) if (random() < 0.7) group.join(id);
  const client = createClient({
    ...{ url: 'https://g.example', token: 't', transport: group.transport, scheduler, testing: { random } },
  });
  let [leaves, falseLeaves] = [0, 0];
  let shown = new Map<string, string | undefined>();
  const isMember = (id: string) => group.members.some(member => member.id === id);
  const watching = client.group.roster('g', { count }).subscribe(({ members, left }) => {
    shown = new Map([...members].map(([id, { identity }]) => [id, identity.presence?.status]));
    for (const { identity } of left) {
      leaves++;
      const { identity_id: id } = identity;
      const wasGone = scheduler.now() - (group.lastSeen.get(id) ?? -Infinity) < SINCE || !isMember(id);
      if (!wasGone) falseLeaves++;
    }
  });
  pass(2_000);
  group.failing = failing;
  const wrong: string[] = [];
  for (let round = 0; round < 3; round++) {
    for (let act = 0; act < 15; act++) {
      const id = people[Math.floor(random() * size)]!;
      const what = random();
      if (what < 0.4) group.join(id);
      else if (what < 0.8) group.leave(id);
      else group.change(id);
      pass(Math.floor(random() * random() * 4_000));
    }
    // A rest: what is on later pages is read again within the minute, and again if that fails.
    group.failing = 0;
    pass(130_000);
    const truth = new Map(group.members.map(({ id, status }) => [id, status]));
    if (JSON.stringify([...truth].sort()) !== JSON.stringify([...shown].sort())) wrong.push(`round ${round}`);
    group.failing = failing;
  }
  watching.unsubscribe();
  return { leaves, falseLeaves, wrong };
}

describe('a roster of a group whose pages change while they are read', () => {
  for (const anchors of ['offset', 'join'] as const)
    it(`announces no leave that was none, and is right after each rest: anchors by ${anchors}`, () => {
      let [leaves, falseLeaves] = [0, 0];
      const wrong: string[] = [];
      const groups = runs(600);
      for (let n = 0; n < groups; n++) {
        const random = randomNumbers(SEED * 1_000 + n);
        const count = random() < 0.1 ? 1_000 : 1 + Math.floor(random() * 16);
        const size = 5 + Math.floor(random() * 40);
        const seen = follow(SEED + n, anchors, count, size, random() < 0.5 ? 1 / 7 : 0);
        leaves += seen.leaves;
        falseLeaves += seen.falseLeaves;
        wrong.push(...seen.wrong.map(what => `seed ${n}, count ${count}: ${what}`));
      }
      deepStrictEqual([falseLeaves, wrong], [0, []]);
      ok(leaves > groups * 5, `${leaves} leaves`);
    }).timeout(300_000);
});
