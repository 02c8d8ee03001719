import { catchError, concatMap, from, map, of, type Observable, type SchedulerLike } from 'rxjs';
import { eventsWatch } from '../../../endpoint/index.js';
import { ServiceProof } from '../../../transport/index.js';
import { connectionProblem, LEAVE_BODIES } from './connection-findings.js';
import { errorIn, foreignAnswer, isCached } from './foreign-answer.js';
import { final, ok, problem, warning, type Finding } from './finding.js';
import { plainAnswer, type PlainAnswer } from './plain-answer.js';

/**
 * A clock that differs more than this is reported, in ms. A checkpoint of another machine may then
 * seem to be too old. Dates have no fractions of a second, so a small difference is normal.
 */
const MAX_SKEW_MS = 5_000;
const OWN_ENCODINGS = ['gzip', 'deflate', 'br', 'identity'];

/**
 * Asks for events without a token. Checks whether a connection can be made, and whether the service
 * itself rejects the request at this base URL. The headers of the answer show proxies.
 */
export function serviceFindings(
  baseUrl: string,
  proof = new ServiceProof(),
  scheduler?: SchedulerLike,
): Observable<Finding> {
  return plainAnswer(baseUrl + eventsWatch.path, { proof, scheduler }).pipe(
    concatMap(answer => {
      if (isService(answer)) return from([answers(answer), ...headerFindings(answer)]);
      const { status, headers } = answer;
      const location = headers.get('location');
      const isRedirect = status >= 300 && status < 400 && location !== null;
      if (isRedirect) return redirectFinding({ status, location }, baseUrl, scheduler).pipe(map(final));
      return of(final(foreignAnswer(answer)));
    }),
    catchError((error: unknown) => of(final(connectionProblem(error)))),
  );
}

const isService = ({ status, sender }: PlainAnswer) => sender !== 'other' && status !== 404 && status < 500;

/** What follows from a missing ray id is said, too. */
function answers(answer: PlainAnswer): Finding {
  if (answer.sender === 'service') return ok('service', 'answers at this URL');
  return warning(
    'service',
    `seems to answer (${errorIn(answer)}), without the rvt-ray-id that would prove it`,
    'let proxies keep it; without one, errors of a proxy may pass for those of the service, and a gate ' +
      'asks about a token that nobody has issued each minute; see “Who answers”, docs/the-service.md',
  );
}

/**
 * The findings on a redirect. Only a place where the service itself answers is the URL to use. It
 * may be a login page, to which nobody should send a token.
 */
function redirectFinding(
  { status, location }: { readonly status: number; readonly location: string },
  baseUrl: string,
  scheduler: SchedulerLike | undefined,
): Observable<Finding> {
  const is = `is a redirect (${status}), which is not followed`;
  const target = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined;
  if (!target || !/^https?:$/.test(target.protocol))
    return of(problem('service', is, 'correct its Location: that is no http: or https: URL'));
  const { origin, pathname } = target;
  const elsewhere = problem(
    'service',
    `is a redirect (${status}) to ${origin + pathname}, where the service does not answer`,
    'is that a login? Let what redirects pass the requests on, and send no token there',
  );
  const { path } = eventsWatch;
  if (!pathname.endsWith(path)) return of(elsewhere);
  const movedTo = origin + pathname.slice(0, -path.length);
  return plainAnswer(movedTo + path, { scheduler }).pipe(
    map(answer => (isService(answer) ? problem('service', is, `use ${movedTo} as the URL`) : elsewhere)),
    catchError(() => of(elsewhere)),
  );
}

/** The findings on the headers of an answer, which proxies may have changed. */
function headerFindings(answer: PlainAnswer): readonly Finding[] {
  const { headers, clockAhead } = answer;
  const findings: Finding[] = [];
  const add = (isWrong: boolean, text: string, advice: string) => {
    if (isWrong) findings.push(warning('headers', text, advice));
  };
  if (clockAhead !== undefined && Math.abs(clockAhead) > MAX_SKEW_MS) {
    const text = `this machine's is ${Math.round(Math.abs(clockAhead) / 1_000)} s ${clockAhead > 0 ? 'ahead' : 'behind'}`;
    const advice = 'set the clock: checkpoints of other machines, and Retry-After, depend on it';
    findings.push(warning('clock', text, advice));
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  add(!OWN_ENCODINGS.includes(encoding), `the body is encoded as ${encoding}`, LEAVE_BODIES);
  add(isCached(answer), 'a cache answers', 'turn it off, because each poll needs its own answer');
  return findings;
}
