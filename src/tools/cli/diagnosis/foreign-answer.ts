import { eventsWatch } from '../../../endpoint/index.js';
import { detailsOf } from '../../../protocol/index.js';
import { isOlderThan, type TransportResponse } from '../../../transport/index.js';
import { problem, type Finding } from './finding.js';
import { knownProxy } from './known-proxy.js';
import type { ObservedAnswer } from './observed-transport.js';
import type { PlainAnswer } from './plain-answer.js';

/** What was seen in place of the service, and what to do about it. */
interface Situation {
  readonly is: (answer: PlainAnswer) => boolean;
  readonly text: (answer: PlainAnswer) => string;
  readonly advice: string;
}

/** The situations. The first one that fits counts. */
const SITUATIONS: readonly Situation[] = [
  {
    is: ({ sender, status }) => sender === 'service' && status >= 500,
    text: ({ status }) => `the service fails (${status})`,
    advice: 'see whether the service runs',
  },
  {
    is: ({ sender, status }) => sender === 'unproved' && status >= 500,
    text: answer => `something fails (${errorIn(answer)}): the service, or a proxy before it`,
    advice: 'see whether both run; an answer of the service would have a ray id',
  },
  {
    // Only a service that crashes sends no ray id.
    is: ({ status, text, headers }) => status === 500 && text === '' && !knownProxy(headers, text),
    text: () => 'something fails without a word (500): the service has crashed, or a proxy before it',
    advice: 'see the log of the service at this moment; if it has no such request, that of the proxy',
  },
  {
    is: isCached,
    text: ({ status }) => `a cache answers (${status}), and not the service`,
    advice: 'turn it off, because each poll needs its own answer',
  },
  {
    // Only a challenge says that a login would help. 511 is that of a network.
    is: ({ status, headers }) =>
      status === 407 || status === 511 || (status === 401 && headers.has('www-authenticate')),
    text: ({ status }) => `a proxy in front of it wants a login (${status})`,
    advice: 'let it pass the requests on',
  },
  {
    is: ({ status }) => status === 429,
    text: () => 'something limits the rate (429)',
    advice: 'try again later',
  },
  {
    is: ({ status }) => status >= 500,
    text: answer => `${nameOf(answer)} answers, and not the service (${answer.status})`,
    advice: 'see whether the service runs',
  },
  {
    is: ({ status, url }) => status === 400 && url.startsWith('http:'),
    text: () => 'the server rejects plain HTTP, or the request (400)',
    advice: 'does this port speak TLS? Then the URL begins with https:',
  },
  {
    is: ({ status }) => status === 403,
    text: answer => `${nameOf(answer)} refuses the request (403), and not the service`,
    advice: `let firewalls pass GET ${eventsWatch.path}; or check the URL`,
  },
  {
    is: ({ status, headers }) => status < 300 && isPage(headers),
    text: ({ status }) => `is not at this URL, but a page (${status})`,
    advice: 'the URL is what comes before /identity/events/live',
  },
  {
    is: ({ status }) => status === 401,
    text: () => 'something else than the service answers here (401)',
    advice: 'the URL is what comes before /identity/events/live; a gateway may want a key of its own',
  },
  {
    is: () => true,
    text: ({ status }) => `is not at this URL (${status})`,
    advice: 'the URL is what comes before /identity/events/live',
  },
];

/** The finding if something else than the service has answered, or the service fails. */
export function foreignAnswer(answer: PlainAnswer): Finding {
  const { text, advice } = SITUATIONS.find(({ is }) => is(answer))!;
  return problem('service', text(answer), advice);
}

/** Whether an answer comes from a cache: it is older than its request, or the cache says so. */
export function isCached(answer: ObservedAnswer): boolean {
  return isOlderThan(answer.took, answer) || /\bhit\b/i.test(answer.headers.get('x-cache') ?? '');
}

/** The status of an answer, and its code. */
export function errorIn(answer: TransportResponse): string {
  return [answer.status, detailsOf(answer).code].filter(Boolean).join(' ');
}

function nameOf({ headers, text }: PlainAnswer): string {
  return knownProxy(headers, text)?.name ?? 'a proxy';
}

function isPage(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}
