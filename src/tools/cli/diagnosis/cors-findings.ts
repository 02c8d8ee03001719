import { catchError, forkJoin, map, mergeMap, of, type Observable } from 'rxjs';
import { eventsWatch } from '../../../endpoint/index.js';
import { ok, problem, warning, type Finding } from './finding.js';
import { plainAnswer, type PlainAnswer } from './plain-answer.js';

const ALLOW = 'Access-Control-Allow-Origin';

/**
 * Asks, as a browser would, whether a page may send requests with a token and read the answers.
 */
export function corsFindings(baseUrl: string, origin: string): Observable<Finding> {
  if (new URL(baseUrl).origin === origin)
    return of(ok('cors', 'pages of this origin need no preflight: it is that of the service'));
  const url = baseUrl + eventsWatch.path;
  const preflight = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  };
  return forkJoin([
    plainAnswer(url, { method: 'OPTIONS', headers: preflight }),
    plainAnswer(url, { headers: { origin } }),
  ]).pipe(
    map(([answerToPreflight, answer]) => findingsOf(answerToPreflight, answer, origin)),
    catchError(() => of([problem('cors', 'a request of a page is not answered', 'answer OPTIONS with 204')])),
    mergeMap(findings => findings),
  );
}

function findingsOf(preflight: PlainAnswer, { headers }: PlainAnswer, origin: string): readonly Finding[] {
  const { status } = preflight;
  const allows = (answer: Pick<PlainAnswer, 'headers'>) =>
    ['*', origin].includes(answer.headers.get(ALLOW)?.trim() ?? '');
  const names = (list: string | null) => (list ?? '').toLowerCase().split(/\s*,\s*/);
  if (status < 200 || status >= 300)
    return [
      problem('cors', `a preflight is answered with ${status}`, 'answer OPTIONS with 204, without a token'),
    ];
  if (!allows(preflight))
    return [problem('cors', `pages of ${origin} are not allowed`, `answer OPTIONS with ${ALLOW}: ${origin}`)];
  // The value `*` does not cover Authorization.
  if (!names(preflight.headers.get('access-control-allow-headers')).includes('authorization'))
    return [
      problem(
        'cors',
        'pages may not send a token',
        'answer OPTIONS with Access-Control-Allow-Headers: Authorization, Content-Type',
      ),
    ];
  if (!allows({ headers }))
    return [
      problem(
        'cors',
        `pages of ${origin} may send requests, and not read the answers`,
        `add ${ALLOW} to all answers, errors too`,
      ),
    ];
  const findings = [ok('cors', `pages of ${origin} are allowed`), preflights(preflight)];
  if (!names(headers.get('access-control-expose-headers')).includes('rvt-ray-id'))
    findings.push(
      warning(
        'cors',
        'pages cannot read rvt-ray-id',
        'add Access-Control-Expose-Headers: rvt-ray-id, retry-after',
      ),
    );
  return findings;
}

/**
 * Whether browsers keep the answers to preflights. They keep them by URL, and each watch index
 * makes another URL.
 */
function preflights({ headers }: PlainAnswer): Finding {
  const text = 'a page sends a preflight before each poll, since each has another URL';
  const advice = "to save it, let a proxy serve the service at the page's own origin";
  const keeps = Number(headers.get('access-control-max-age') ?? 0) > 5;
  return keeps
    ? ok('cors', `${text}; those of other requests are kept`)
    : warning('cors', `${text}, and before all others`, `add Access-Control-Max-Age: 3600; ${advice}`);
}
