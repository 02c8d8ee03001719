import { deepStrictEqual, strictEqual } from 'node:assert';
import { EMPTY, of, take, throwError } from 'rxjs';
import type { ResumableWatch } from 'lobby-rx';
import { pageAlive, whileAlive } from 'lobby-rx/browser';
import { fakePage, type FakePage } from '../../fake-page.js';
import { virtualWorld } from '../../virtual-world.js';

describe('the life of a page', () => {
  let page: FakePage;
  beforeEach(() => {
    page = fakePage();
  });
  afterEach(() => page.remove());

  it('ends at once when it is left or frozen, and goes on when it comes back', () => {
    const seen: boolean[] = [];
    const watching = pageAlive().subscribe(isAlive => seen.push(isAlive));
    for (const [type, expected] of [
      ['freeze', [true, false]],
      ['pagehide', [true, false]],
      ['pageshow', [true, false, true]],
      ['pagehide', [true, false, true, false]],
      ['resume', [true, false, true, false, true]],
      ['blur', [true, false, true, false, true]],
    ] as const) {
      page.fire(type);
      deepStrictEqual(seen, expected, type);
    }
    page.show(false);
    strictEqual(seen.length, 5);
    watching.unsubscribe();
    deepStrictEqual(page.listeners, []);
  });

  it('is endless outside of a page', () => {
    page.remove();
    const seen: boolean[] = [];
    pageAlive().subscribe({ next: isAlive => seen.push(isAlive), complete: () => seen.push(false) });
    deepStrictEqual(seen, [true]);
  });

  it('is that of its polls: they end with it, and go on from where they were', () => {
    const { emulator, identity_id, client, pass } = virtualWorld({ random: () => 0 });
    const feed = client.events.createFeed({ share: whileAlive, linger: 0 });
    const seen: string[] = [];
    feed.gap$.subscribe(({ reason }) => seen.push(`gap: ${reason}`));
    const following = feed.unknown$.subscribe(({ name }) => seen.push(name));
    const pending = () => emulator.requests.filter(request => request.pending).length;
    const publish = (name: string) => {
      emulator.publish(identity_id, { [name]: 1 });
      pass(300);
    };
    pass(1_000);
    publish('a');
    for (let n = 0; n < 6; n++) {
      page.fire('pagehide');
      strictEqual(pending(), 0);
      publish(`cached ${n}`);
      page.fire('pageshow', { persisted: true });
      pass(300);
      strictEqual(pending(), 1);
    }
    deepStrictEqual(seen, ['a', ...[0, 1, 2, 3, 4, 5].map(n => `cached ${n}`)]);

    // Longer than the service remembers.
    page.fire('freeze');
    pass(400_000);
    page.fire('resume');
    pass(1_000);
    publish('b');
    deepStrictEqual(seen.slice(7), ['gap: silence', 'b']);
    following.unsubscribe();
    strictEqual(pending(), 0);
    deepStrictEqual(page.listeners, []);
  });

  it('leaves nothing behind if its subscriber leaves at once', () => {
    const { emulator, client } = virtualWorld({ random: () => 0 });
    const seen: string[] = [];
    client.group
      .rosterSignals('g', { share: whileAlive })
      .pipe(take(1))
      .subscribe(({ kind }) => seen.push(kind));
    deepStrictEqual([seen, emulator.requests.filter(({ pending }) => pending).length], [['status'], 0]);
    deepStrictEqual(page.listeners, []);
  });

  it('tells what its watch throws', () => {
    const errors: unknown[] = [];
    const broken = () => {
      throw new Error('broken');
    };
    whileAlive(broken).subscribe({ error: (error: unknown) => errors.push((error as Error).message) });
    deepStrictEqual(errors, ['broken']);
  });

  it('ends with its watch', () => {
    const ends: unknown[] = [];
    const complete = () => ends.push('complete');
    whileAlive(() => EMPTY).subscribe({ complete });
    whileAlive(() => throwError(() => 'broken')).subscribe({ error: (error: unknown) => ends.push(error) });
    const starts: object[] = [];
    const checkpoint = { index: '7', at: 1 };
    const watch: ResumableWatch<never> = position => {
      starts.push(position);
      return of({ kind: 'checkpoint', checkpoint: { index: '8', at: 2 } });
    };
    whileAlive(watch, { from: checkpoint }).subscribe({ complete });
    deepStrictEqual(ends, ['complete', 'broken', 'complete']);
    deepStrictEqual(starts, [{ from: checkpoint }]);
    deepStrictEqual(page.listeners, []);
  });
});
