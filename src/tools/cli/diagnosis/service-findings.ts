import {
  catchError,
  concatMap,
  defaultIfEmpty,
  EMPTY,
  filter,
  from,
  map,
  of,
  take,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { eventsWatch } from '../../../endpoint/index.js';
import { final, ok, problem, warning, type Finding } from './finding.js';
import { plainAnswer, type PlainAnswer } from './plain-answer.js';

/** From this difference on, a checkpoint of another machine may seem to be too old, in ms. Dates have no fractions of a second. */
const SKEW = 5_000;
/** What a base URL may have too much of, or lack. */
const PREFIXES = ['', '/v1', '/v2', '/api', '/api/v1', '/api/v2'];
const OWN_ENCODINGS = ['gzip', 'deflate', 'br', 'identity'];

/**
 * Asks for events without a token: whether the service itself refuses that, at this base URL, and what is between. If not, looks
 * for the right URL on the same server.
 */
export function serviceFindings(baseUrl: string, scheduler?: SchedulerLike): Observable<Finding> {
  return plainAnswer(baseUrl + eventsWatch.path, 'GET', {}, scheduler).pipe(
    concatMap(answer => {
      if (isService(answer)) return from([ok('service', 'answers at this URL'), ...headerFindings(answer)]);
      const why = notTheService(answer, baseUrl);
      return why ? of(final(why)) : rightUrl(baseUrl, answer).pipe(map(final));
    }),
    catchError((error: unknown) => {
      const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      // A code of zlib.
      if (cause?.code?.startsWith('Z_') || cause?.code?.startsWith('ERR_BROTLI'))
        return of(
          final(problem('service', `its answer cannot be decompressed (${cause.code})`, LEAVE_BODIES)),
        );
      const text =
        name === 'TimeoutError'
          ? 'accepts connections, and does not answer'
          : `ends the connection (${cause?.code ?? name})`;
      return of(final(problem('service', text, 'see whether it runs, and whether the port is its own')));
    }),
  );
}

const LEAVE_BODIES = 'let a proxy leave bodies, and Content-Encoding, as they are';

const isService = ({ status, own }: PlainAnswer) => own !== undefined && status !== 404 && status < 500;

/** Why it is not the service that answers, unless the path may be wrong. */
function notTheService({ status, headers, own }: PlainAnswer, baseUrl: string): Finding | undefined {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return problem('service', `is a redirect (${status}), which is not followed`, whereTo(location, baseUrl));
  }
  if (status === 401 || status === 407)
    return problem(
      'service',
      `something before it wants to know who you are (${status})`,
      'let it pass the requests on',
    );
  if (status === 429) return problem('service', 'something limits the rate (429)', 'try again later');
  if (status >= 500) {
    const who = own ? 'the service fails' : 'a proxy answers, and not the service';
    return problem('service', `${who} (${status})`, 'see whether the service runs');
  }
  return undefined;
}

function whereTo(location: string, baseUrl: string): string {
  const { protocol, origin, pathname } = URL.canParse(location, baseUrl)
    ? new URL(location, baseUrl)
    : { protocol: '', origin: '', pathname: '' };
  if (!/^https?:$/.test(protocol)) return 'correct its Location: that is no http: or https: URL';
  const { path } = eventsWatch;
  return `use ${origin + (pathname.endsWith(path) ? pathname.slice(0, -path.length) : pathname)} as the URL`;
}

/** Looks for the service on the same server, with as few requests as there are likely paths. */
function rightUrl(baseUrl: string, { status, headers }: PlainAnswer): Observable<Finding> {
  const isPage = status < 300 && headers.get('content-type')?.startsWith('text/html');
  const text = isPage ? `is not at this URL, but a page (${status})` : `is not at this URL (${status})`;
  const { origin, pathname } = new URL(baseUrl);
  const parts = pathname.split('/').filter(Boolean);
  const parents = parts
    .map((_, i) =>
      parts
        .slice(0, i)
        .map(part => `/${part}`)
        .join(''),
    )
    .reverse();
  const candidates = new Set([...parents, ...PREFIXES].map(path => origin + path));
  candidates.delete(baseUrl);
  return from(candidates).pipe(
    concatMap(url =>
      plainAnswer(url + eventsWatch.path).pipe(
        filter(isService),
        map(() => problem('service', text, `use ${url} as the URL`)),
        catchError(() => EMPTY),
      ),
    ),
    take(1),
    defaultIfEmpty(problem('service', text, 'the URL is what comes before /identity/events/live')),
  );
}

/** What the headers of an answer say of what is between. */
function headerFindings({ headers, own, clockAhead }: PlainAnswer): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (isWrong: boolean, text: string, advice: string) => {
    if (isWrong) findings.push(warning('headers', text, advice));
  };
  if (clockAhead !== undefined && Math.abs(clockAhead) > SKEW) {
    const text = `this machine's is ${Math.round(Math.abs(clockAhead) / 1_000)} s ${clockAhead > 0 ? 'ahead' : 'behind'}`;
    findings.push(warning('clock', text, 'set it: checkpoints of other machines, and Retry-After, go by it'));
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  const age = Number(headers.get('age') ?? 0);
  add(
    own?.hasRayId === false,
    'there is no rvt-ray-id',
    'let a proxy keep it: operators find requests by it',
  );
  add(!OWN_ENCODINGS.includes(encoding), `the body is encoded as ${encoding}`, LEAVE_BODIES);
  add(
    age > 0 || /\bhit\b/i.test(headers.get('x-cache') ?? ''),
    'a cache answers',
    'turn it off: each poll needs an answer of its own',
  );
  add(
    headers.get('connection') === 'close',
    'each request needs a new connection',
    'allow keep-alive, in the proxy, too',
  );
  return findings;
}
