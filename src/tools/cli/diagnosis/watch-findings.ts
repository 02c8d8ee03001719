import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  map,
  of,
  type Observable,
  type ObservedValueOf,
} from 'rxjs';
import type { Client } from '../../../client/index.js';
import { either } from '../../../endpoint/index.js';
import {
  answerBehind,
  isFromService,
  isStatusError,
  isTransportError,
  recovery,
  type ClientError,
} from '../../../error/index.js';
import type { MalformedEvent } from '../../../protocol/index.js';
import { issueText } from '../terminal/index.js';
import { clockFindings } from './clock-findings.js';
import { failed, ok, problem, warning, type Finding } from './finding.js';
import { errorIn, isCached } from './foreign-answer.js';
import type { ObservedAnswer } from './observed-transport.js';
import { knownProxy, letItPassTokens, letItWait, type KnownProxy } from './known-proxy.js';
import { refusalIn, type PlainAnswer } from './plain-answer.js';

/** A poll without news that is answered in a shorter time, in ms, was not held. */
const MIN_HOLD_MS = 1_000;
/** A poll without an index is answered at once. One that takes this long, in ms, is slow. */
const SLOW_MS = 2_000;
/** How often to try again if there is news, or if one poll was not held. */
const ATTEMPTS = 3;

/** Further sources for the findings, besides the answers of a client. */
export interface Surroundings {
  /** The time, in ms. */
  readonly now: () => number;
  /** The last answer to the client, before it was decoded. */
  readonly lastAnswer: () => ObservedAnswer | undefined;
  /** Sends the first poll of a watch, but without a token. */
  readonly withoutToken$: Observable<PlainAnswer>;
}

/**
 * Polls the events of an identity. Checks whether the token is accepted, whether the answer depends
 * on the token, and whether the machines agree on the time. Then it checks whether the index is
 * honoured, whether a poll is held, and whether a proxy ends the poll. It sends eleven requests,
 * and one or two more if there is news. The last one takes up to 70 s.
 */
export function watchFindings(client: Pick<Client, 'events'>, around: Surroundings): Observable<Finding> {
  const poll = pollOf(client, around);
  return poll().pipe(
    concatMap(({ answer, ms }) => {
      if (answer._tag === 'Left') return refused(answer.left, around);
      const { events, watch } = answer.right;
      const { lastAnswer, withoutToken$ } = around;
      const malformed = events.find(event => event.kind === 'malformed');
      const accepted = [ok('token', `is accepted${malformed ? '' : ', and the answer is as it should be'}`)];
      if (malformed) accepted.push(unreadable(malformed));
      const last = lastAnswer();
      if (last?.headers.get('connection') === 'close') accepted.push(CLOSES);
      if (last?.isFromService === false) accepted.push(RAY_ID_LOST);
      if (!watch.index) return from([...accepted, noIndex()]);
      const isSlow = ms >= SLOW_MS;
      if (isSlow) accepted.push(slow(ms));
      return concat(
        accepted,
        sharedFindings(withoutToken$, lastAnswer()?.text),
        // Each of these polls would take as long.
        isSlow ? EMPTY : clockFindings(() => poll().pipe(map(indexedAnswer))),
        held(watch.index, 1, poll, around),
      );
    }),
  );
}

/** Returns a function that polls once. It emits the answer or the error, and the duration in ms. */
function pollOf({ events }: Pick<Client, 'events'>, { now }: Surroundings) {
  return (watch_index?: string) =>
    defer(() => {
      const sentAt = now();
      return events.watch(watch_index === undefined ? {} : { watch_index }).pipe(
        either(),
        map(answer => ({ answer, sentAt, ms: now() - sentAt })),
      );
    });
}

type Poll = ReturnType<typeof pollOf>;

const indexedAnswer = ({ answer, sentAt, ms }: ObservedValueOf<ReturnType<Poll>>) =>
  answer._tag === 'Left' ? undefined : { index: answer.right.watch.index, sentAt, answeredAt: sentAt + ms };

/** Checks whether the service holds a poll, and whether a proxy ends the poll. */
function held(index: string, attempt: number, poll: Poll, around: Surroundings): Observable<Finding> {
  return poll(index).pipe(
    concatMap(({ answer, ms }) => {
      if (answer._tag === 'Left') return of(ended(answer.left, ms, letItWait(proxyOf(around))));
      const { events, watch } = answer.right;
      const isHeld = events.length === 0 && ms >= MIN_HOLD_MS;
      if (isHeld) return of(ok('poll', `the service held it for ${roundedSeconds(ms)}, and answered itself`));
      if (watch.index === '') return of(noIndex());
      if (attempt < ATTEMPTS) return held(watch.index, attempt + 1, poll, around);
      return of(events.length === 0 ? NOT_HELD : TOO_MUCH_NEWS);
    }),
  );
}

/** The finding if the first poll failed. The token was rejected, or a proxy removed it. */
function refused(error: ClientError, around: Surroundings): Observable<Finding> {
  const answer = around.lastAnswer();
  const proxy = proxyOf(around);
  const finding = failed('token', error, { proxy: proxy?.name });
  if (answer?.status !== 401 && answer?.status !== 403) return of(finding);
  if (isCached(answer)) return of(problem('token', `a cache answers ${errorIn(answer)}`, TURN_OFF));
  // What is not the service's says nothing of the token.
  if (!isOfService(error)) return of(finding);
  return around.withoutToken$.pipe(
    map(({ status, text }) => {
      if (status !== answer.status || refusalIn(text) !== refusalIn(answer.text)) return finding;
      return problem('token', `${finding.text}, as it does without a token`, letItPassTokens(proxy));
    }),
    catchError(() => of(finding)),
  );
}

function isOfService(error: ClientError): boolean {
  const answer = answerBehind(error);
  return answer !== undefined && isFromService(answer);
}

/** The proxy through which the last answer came. `undefined` if it is not a known proxy. */
function proxyOf({ lastAnswer }: Surroundings): KnownProxy | undefined {
  const last = lastAnswer();
  return last && knownProxy(last.headers, last.text);
}

/** Checks whether a request without a token gets the answer that was just given to a token. */
function sharedFindings(
  withoutToken$: Observable<PlainAnswer>,
  given: string | undefined,
): Observable<Finding> {
  return withoutToken$.pipe(
    concatMap(({ status, text }) => (status >= 200 && status < 300 && text === given ? of(SHARED) : EMPTY)),
    catchError(() => EMPTY),
  );
}

const TURN_OFF = 'turn it off for the service, because each poll needs its own answer';
const SHARED = problem(
  'cache',
  "gives one caller's answer to another: a request without a token gets the same answer",
  'turn it off for the service, now: players get the events of others; see “Behind your proxy”, docs/proxies.md',
);
const RAY_ID_LOST = warning(
  'headers',
  'the answer to a token has no rvt-ray-id, and others have: something else may answer',
  'let proxies keep it; errors without one are retried for ever, and no player is confirmed',
);
const CLOSES = warning(
  'headers',
  'each request needs a new connection',
  'allow keep-alive, in the proxy, too',
);
const NOT_HELD = problem(
  'poll',
  'polls are answered at once although nothing is new, so the index has no effect',
  'see whether a proxy removes the query of URLs, or a cache answers',
);
const TOO_MUCH_NEWS = warning(
  'poll',
  'there is always news, so this cannot show how long polls are held',
  'try again with the token of an identity that is not used',
);
const unreadable = ({ errors }: MalformedEvent) =>
  warning(
    'events',
    `one cannot be read: ${issueText(errors[0])}`,
    'it is emitted as `malformed`; ask the operators',
  );
const slow = (ms: number) =>
  warning(
    'speed',
    `an answer that needs no wait took ${roundedSeconds(ms)}`,
    'see what is slow: the service, or a proxy before it',
  );
const noIndex = () =>
  problem('index', 'an answer has no watch.index', 'ask the operators, because events are lost without it');

/** The finding for a poll that ended with an error. */
function ended(error: ClientError, ms: number, letWait: string): Finding {
  const after = roundedSeconds(ms);
  if (isStatusError(error) && isFromService(error)) {
    if (recovery(error).kind === 'no_news')
      return ok('poll', `the service held it for ${after}, and ended it itself`);
    if (error.rayId === undefined && error.status > 500)
      return problem('poll', `a proxy, or the service, ended it after ${after} (${error.status})`, letWait);
    if (recovery(error).kind !== 'index') return failed('poll', error);
    const text = `the service refuses the index that it has just given (${error.status})`;
    return problem('index', text, 'see whether a proxy changes the query of URLs');
  }
  if (isStatusError(error) && error.status < 500 && error.status >= 400) return failed('poll', error);
  if (isStatusError(error))
    return problem('poll', `a proxy ended it after ${after} (${error.status})`, letWait);
  if (isTransportError(error) && error.reason === 'timeout')
    return problem('poll', `there was no answer within ${after}`, letWait);
  if (isTransportError(error)) return problem('poll', `the connection was closed after ${after}`, letWait);
  return failed('poll', error);
}

const roundedSeconds = (ms: number) => `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
