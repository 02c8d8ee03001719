import { catchError, concatMap, from, of, type Observable, type SchedulerLike } from 'rxjs';
import { eventsWatch } from '../../../endpoint/index.js';
import { connectionProblem, LEAVE_BODIES } from './connection-findings.js';
import { knownProxy } from './known-proxy.js';
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
export function serviceFindings(baseUrl: string, scheduler?: SchedulerLike): Observable<Finding> {
  return plainAnswer(baseUrl + eventsWatch.path, 'GET', {}, scheduler).pipe(
    concatMap(answer => {
      if (isService(answer)) return from([ok('service', 'answers at this URL'), ...headerFindings(answer)]);
      return of(final(notTheService(answer, baseUrl)));
    }),
    catchError((error: unknown) => of(final(connectionProblem(error)))),
  );
}

const isService = ({ status, isFromService }: PlainAnswer) => isFromService && status !== 404 && status < 500;

/** The finding if another server than the service has answered. */
function notTheService(
  { status, headers, text: page, isFromService }: PlainAnswer,
  baseUrl: string,
): Finding {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return problem('service', `is a redirect (${status}), which is not followed`, whereTo(location, baseUrl));
  }
  if (status === 401 || status === 407)
    return problem(
      'service',
      `a proxy in front of it wants a login (${status})`,
      'let it pass the requests on',
    );
  if (status === 429) return problem('service', 'something limits the rate (429)', 'try again later');
  if (status >= 500) {
    const proxy = knownProxy(headers, page)?.name ?? 'a proxy';
    const who = isFromService ? 'the service fails' : `${proxy} answers, and not the service`;
    return problem('service', `${who} (${status})`, 'see whether the service runs');
  }
  const isPage = status < 300 && headers.get('content-type')?.startsWith('text/html');
  const text = isPage ? `is not at this URL, but a page (${status})` : `is not at this URL (${status})`;
  return problem('service', text, 'the URL is what comes before /identity/events/live');
}

function whereTo(location: string, baseUrl: string): string {
  const { protocol, origin, pathname } = URL.canParse(location, baseUrl)
    ? new URL(location, baseUrl)
    : { protocol: '', origin: '', pathname: '' };
  if (!/^https?:$/.test(protocol)) return 'correct its Location: that is no http: or https: URL';
  const { path } = eventsWatch;
  return `use ${origin + (pathname.endsWith(path) ? pathname.slice(0, -path.length) : pathname)} as the URL`;
}

/** The findings on the headers of an answer, which proxies may have changed. */
function headerFindings({ headers, clockAhead }: PlainAnswer): readonly Finding[] {
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
  const age = Number(headers.get('age') ?? 0);
  add(
    !headers.has('rvt-ray-id'),
    'there is no rvt-ray-id',
    'let the proxy keep it, because operators find requests by it',
  );
  add(!OWN_ENCODINGS.includes(encoding), `the body is encoded as ${encoding}`, LEAVE_BODIES);
  add(
    age > 0 || /\bhit\b/i.test(headers.get('x-cache') ?? ''),
    'a cache answers',
    'turn it off, because each poll needs its own answer',
  );
  return findings;
}
