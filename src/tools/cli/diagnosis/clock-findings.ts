import { concatMap, last, map, of, range, scan, type Observable } from 'rxjs';
import { ok, problem, type Finding } from './finding.js';

/** The answer to a poll without an index. */
export interface FirstAnswer {
  /** Events count as new from this index on. */
  readonly index: string;
  /** When the poll was sent, in ms. */
  readonly sentAt: number;
  /** When the answer had arrived, in ms. */
  readonly answeredAt: number;
}

/** The number of polls. With two machines chosen at random, 1 of 28 runs sees no difference. */
const POLLS = 8;
/**
 * How long the service collects events before it answers, in ms. A smaller difference loses no
 * event.
 */
const COLLECTING_MS = 100;
/**
 * Matches an index that is a time in ms since 1970, from 2001 to 2286. Other indexes do not show
 * the clock of a machine.
 */
const TIME = /^\d{13}$/;

/**
 * Finds out whether the machines behind one address have different clocks. An index is the time of
 * one of these machines, and must not go back. A client cannot see from a watch that it loses
 * events because of that.
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

/** The least difference of the clocks, in ms. `undefined` if the indexes are not times. */
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
