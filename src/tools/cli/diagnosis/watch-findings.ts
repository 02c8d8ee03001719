import { concat, concatMap, defer, from, map, of, type Observable } from 'rxjs';
import type { Client } from '../../../client/index.js';
import { either } from '../../../endpoint/index.js';
import {
  isFromService,
  isStatusError,
  isTransportError,
  recovery,
  type ClientError,
} from '../../../error/index.js';
import type { MalformedEvent } from '../../../protocol/index.js';
import { issueText } from '../terminal/index.js';
import { failed, ok, problem, warning, type Finding } from './finding.js';

/** A poll without news that is answered sooner was not held, in ms. */
const HELD = 1_000;
/** How often to try again if there is news, or if one poll was not held. */
const ATTEMPTS = 3;
const LET_IT_WAIT =
  'let what is between wait for more than 60 s: proxy_read_timeout 75s in nginx, timeout server 75s in HAProxy';

/**
 * Polls an identity's events: whether its token is accepted, the index honoured, a poll held, and who answers first. It sends two
 * requests, three or four if there is news. The last one takes up to 70 s.
 *
 * `now` is in ms.
 */
export function watchFindings(client: Pick<Client, 'events'>, now: () => number): Observable<Finding> {
  const poll = (watch_index?: string) =>
    defer(() => {
      const sentAt = now();
      return client.events.watch(watch_index === undefined ? {} : { watch_index }).pipe(
        either(),
        map(answer => ({ answer, ms: now() - sentAt })),
      );
    });

  const held = (index: string, attempt: number): Observable<Finding> =>
    poll(index).pipe(
      concatMap(({ answer, ms }) => {
        if (answer._tag === 'Left') return of(ended(answer.left, ms));
        const { events, watch } = answer.right;
        const isHeld = events.length === 0 && ms >= HELD;
        if (isHeld) return of(ok('poll', `the service held it for ${inSeconds(ms)}, and answered itself`));
        if (watch.index === '') return of(noIndex());
        if (attempt < ATTEMPTS) return held(watch.index, attempt + 1);
        return of(events.length === 0 ? NOT_HELD : TOO_MUCH_NEWS);
      }),
    );

  return poll().pipe(
    concatMap(({ answer }) => {
      if (answer._tag === 'Left') return of(failed('token', answer.left));
      const { events, watch } = answer.right;
      const malformed = events.find(event => event.kind === 'malformed');
      const accepted = [ok('token', `is accepted${malformed ? '' : ', and the answer is as it should be'}`)];
      if (malformed) accepted.push(unreadable(malformed));
      return watch.index ? concat(accepted, held(watch.index, 1)) : from([...accepted, noIndex()]);
    }),
  );
}

const NOT_HELD = problem(
  'poll',
  'polls are answered at once although nothing is new: the index is not honoured',
  'see whether a proxy removes the query of URLs, or a cache answers',
);
const TOO_MUCH_NEWS = warning(
  'poll',
  'there is always news, so that it cannot be seen for how long polls are held',
  'try again with the token of an identity that is not used',
);
const unreadable = ({ errors }: MalformedEvent) =>
  warning('events', `one cannot be read: ${issueText(errors[0])}`, 'it is `malformed`: ask the operators');
const noIndex = () =>
  problem('index', 'an answer has no watch.index', 'without it, events are lost: ask the operators');

/** How a poll ended that was to be held, if not with an answer. */
function ended(error: ClientError, ms: number): Finding {
  const after = inSeconds(ms);
  if (isStatusError(error) && isFromService(error)) {
    if (recovery(error).kind === 'no_news')
      return ok('poll', `the service held it for ${after}, and ended it itself`);
    if (recovery(error).kind !== 'index') return failed('poll', error);
    const text = `the service refuses the index that it has just given (${error.status})`;
    return problem('index', text, 'see whether a proxy changes the query of URLs');
  }
  if (isStatusError(error) && error.status < 500 && error.status >= 400) return failed('poll', error);
  if (isStatusError(error))
    return problem('poll', `a proxy ended it after ${after} (${error.status})`, LET_IT_WAIT);
  if (isTransportError(error) && error.reason === 'timeout')
    return problem('poll', `there was no answer within ${after}`, LET_IT_WAIT);
  if (isTransportError(error))
    return problem('poll', `the connection was closed after ${after}`, LET_IT_WAIT);
  return failed('poll', error);
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
