import { concatMap, last, map, of, range, scan, type Observable } from 'rxjs';
import { ok, problem, type Finding } from './finding.js';

/** An answer to a poll without an index: from when on it says that events are new. */
export interface FirstAnswer {
  readonly index: string;
  /** When the poll was sent, in ms. */
  readonly sentAt: number;
  /** When its answer was there, in ms. */
  readonly answeredAt: number;
}

/** If a balancer chooses one of two machines at random, once in 28 times no index goes back. */
const POLLS = 8;
/**
 * How long the service collects events before it answers, in ms: a smaller difference loses none.
 */
const COLLECTING_MS = 100;
/**
 * An index that is no number of ms since 1970 says nothing of a clock: it has 13 digits from 2001
 * to 2286.
 */
const TIME = /^\d{13}$/;

/**
 * Says whether machines behind one address have different clocks: an index is a time of one of
 * them, and must not go back. No client can see from a watch that it loses events by that.
 */
export function clockFindings(ask: () => Observable<FirstAnswer | undefined>): Observable<Finding> {
  return range(POLLS).pipe(
    concatMap(ask),
    scan((answers: readonly FirstAnswer[], answer) => (answer ? [...answers, answer] : answers), []),
    last(),
    map(answers => differenceOf(answers)),
    concatMap(difference => (difference === undefined ? [] : of(findingOf(difference)))),
  );
}

/** How far the clocks differ at least, in ms; undefined if the indexes are no times. */
function differenceOf(answers: readonly FirstAnswer[]): number | undefined {
  if (answers.length < 2 || !answers.every(({ index }) => TIME.test(index))) return undefined;
  const differences = answers.flatMap((later, i) =>
    answers.slice(0, i).map(earlier => {
      const wentBack = Number(earlier.index) - Number(later.index);
      const between = Math.max(0, later.sentAt - earlier.answeredAt);
      return wentBack > 0 ? wentBack + between : 0;
    }),
  );
  return Math.max(...differences);
}

function findingOf(difference: number): Finding {
  if (difference <= COLLECTING_MS) return ok('clocks', 'no two machines of the service were seen to differ');
  return problem(
    'clocks',
    `two machines of the service have clocks that are ${Math.round(difference)} ms apart or more: events are lost without a gap`,
    'set them by NTP; until then, let one machine answer all polls of an identity, and publish its events',
  );
}
