import { deepStrictEqual, ok } from 'node:assert';
import { of } from 'rxjs';
import { watch, type WatchLogEntry } from 'lobby-rx';
import { freshPace, paceWithNews } from '../../../src/stream/watch/poll-pace.js';
import { answer } from '../../poll-script.js';
import { virtualTime } from '../../virtual-time.js';

const MINUTES = 60_000;

describe('the pace of polls', () => {
  it('slows down a watch with news after 1,500 polls in a quarter of an hour, and says so', () => {
    const { scheduler, pass } = virtualTime();
    let polls = 0;
    const reasons: string[] = [];
    const log = (entry: WatchLogEntry) => {
      if (entry.kind === 'turn') reasons.push(entry.why);
    };
    const poll = () => of(answer(String(++polls), `event ${polls}`));
    const watching = watch(poll, { scheduler, log }).subscribe();
    pass(10_000);
    // Twice a second from then on.
    ok(polls > 1_515 && polls < 1_525, String(polls));
    deepStrictEqual(reasons.slice(1_498, 1_502), ['news', 'news', 'limited', 'limited']);
    pass(14 * MINUTES);
    ok(polls < 1_500 + 15 * 60 * 2, String(polls));
    pass(2 * MINUTES);
    deepStrictEqual(reasons.at(-1), 'limited');
    watching.unsubscribe();
  });

  it('counts from its last poll, and does not wait for hours if the clock was set back', () => {
    const start = 1_000_000;
    const spent = { ...freshPace(start), polls: 1_500 };
    deepStrictEqual(paceWithNews(spent, start + 100, start).wait, 400);
    deepStrictEqual(paceWithNews(spent, start + 600, start).wait, 0);
    deepStrictEqual(paceWithNews(spent, start - 60 * MINUTES, start).wait, 0);
    deepStrictEqual(paceWithNews(spent, start + 15 * MINUTES, start + 15 * MINUTES).wait, 0);
  });
});
