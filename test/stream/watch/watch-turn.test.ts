import { deepStrictEqual, strictEqual } from 'node:assert';
import {
  abandoned,
  firstState,
  movedTo,
  unacknowledged,
  type Turn,
  type WatchState,
} from '../../../src/stream/watch/watch-turn.js';

const when = (at: number) => ({ at, monotonic: at });
const stateWith = (change: Partial<WatchState>): WatchState => ({
  ...firstState(undefined, when(0)),
  ...change,
});

describe('the place of a watch', () => {
  const missing = { reason: 'index_missing', index: 'a' } as const;
  const here = stateWith({ index: 'a', issued: when(5), isStalled: true, indexFailures: 3 });
  const nowhere = stateWith({ gap: missing });
  const parts = ({ index, issued, newest, mayBeReplay, gap }: WatchState) => ({
    ...{ index, issued, newest, mayBeReplay, gap },
  });

  it('moves to a checkpoint, whose events may come again', () => {
    deepStrictEqual(parts(movedTo(here, { index: 'b', at: 7 })), {
      ...{
        index: 'b',
        issued: { at: 7, monotonic: undefined },
        newest: 'b',
        mayBeReplay: true,
        gap: undefined,
      },
    });
  });

  it('moves to a checkpoint without an index, which is a gap', () => {
    const { index, gap } = movedTo(here, { index: '', at: 7 });
    deepStrictEqual([index, gap], [undefined, { reason: 'index_missing', index: undefined }]);
  });

  it('starts from now if nobody has a checkpoint, and keeps only the gap that is still to be told', () => {
    deepStrictEqual([movedTo(here, undefined).index, movedTo(here, undefined).gap], [undefined, undefined]);
    deepStrictEqual(movedTo(nowhere, undefined).gap, missing);
  });

  it('is left with a gap, unless there is one already', () => {
    const left = abandoned(here);
    deepStrictEqual(
      [left.index, left.issued, left.gap],
      [undefined, undefined, { reason: 'unwatched', index: 'a' }],
    );
    strictEqual(abandoned(nowhere), nowhere);
  });

  it('is returned to without the failures of before, but not before the rest that was left', () => {
    const rest = { since: 0, wait: 9_000, least: 2_000 };
    const failed = { ...here.status, state: 'retrying', attempt: 4, lastAnswer: 3, error: 'down' } as const;
    const back = firstState(undefined, when(500), { ...here, rest, status: failed });
    deepStrictEqual([back.isStalled, back.indexFailures, back.mayBeReplay], [false, 0, true]);
    deepStrictEqual(back.rest, { since: 500, wait: 1_500, least: 1_500 });
    const { state, attempt, lastAnswer, error, nextTry } = back.status;
    deepStrictEqual([state, attempt, lastAnswer, error, nextTry], ['retrying', 4, 3, 'down', 2_000]);
    const later = firstState(undefined, when(5_000), { ...here, rest, status: failed });
    deepStrictEqual([later.status.state, later.status.lastAnswer, later.rest.wait], ['connecting', 3, 0]);
  });

  it('has no history at the start', () => {
    const { gap, toldGap, isStale, isAnswered, index, issued, coveredUntil, newest } = here;
    deepStrictEqual(
      [gap, toldGap, isStale, isAnswered, index, issued, coveredUntil, newest],
      [undefined, undefined, false, false, 'a', when(5), undefined, undefined],
    );
  });
});

describe('an answer that was not acknowledged', () => {
  it('was asked for when its checkpoint says', () => {
    const delivery = { checkpoint: { index: 'a', at: 42 } };
    const turn = { state: stateWith({}), delivery } as unknown as Turn<string>;
    const ending = unacknowledged(turn, 'disk full');
    deepStrictEqual(ending.askedAt, { at: 42, monotonic: undefined });
  });
});
