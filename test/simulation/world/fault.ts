/**
 * What is wrong with the path to the service, or with the service, for a time.
 *
 * - `refused`: no connection can be made, and those that are open break.
 * - `black hole`: nothing gets through, and nothing says so. A request that is sent meanwhile never
 *   arrives, or, if it is `resent`, at the end.
 * - `proxy`: a proxy answers for the dead service, `after` ms after the request.
 * - `cuts`: a proxy ends polls that are held longer than `after` ms, by a status (504) or by
 *   closing them.
 * - `poison`: the answer to one index is broken, `after` ms after the request.
 * - `cache`: a cache repeats idle answers for `ttl` ms, to a poll with the same index, or to any.
 *   It may be shared with another client.
 * - `old connections`: a black hole for all connections from before its end; a new one gets
 *   through.
 * - `own error`: the service itself says no. `after` is its Retry-After, in ms; `dated`: as a date.
 */
export type Fault = { readonly from: number; readonly to: number } & FaultKind;

/**
 * What a proxy says in the service's own words, perhaps with a `Retry-After` in s, or in a 200 that
 * says nothing.
 */
export type OddEnd =
  `own ${500 | 502 | 503 | 504 | 429}` | 'own 503 after 20' | 'empty' | 'blank' | 'null' | '{}';
export const ODD_ENDS: readonly OddEnd[] = [
  'own 500',
  'own 502',
  'own 503',
  'own 504',
  'own 429',
  'own 503 after 20',
  'empty',
  'blank',
  'null',
  '{}',
];

export type FaultKind =
  | { readonly kind: 'refused' | 'old connections' }
  | { readonly kind: 'black hole'; readonly resent: boolean }
  | {
      readonly kind: 'proxy';
      readonly status: number | OddEnd;
      readonly after: number;
      readonly isEmpty?: boolean;
    }
  | { readonly kind: 'cuts'; readonly after: number; readonly by?: number | 'lost' | OddEnd }
  | {
      readonly kind: 'poison';
      readonly after: number;
      readonly how: number | 'lost' | 'no JSON' | 'too large' | 'unread' | OddEnd;
    }
  | {
      readonly kind: 'cache';
      readonly ttl: number;
      readonly ignoresQuery: boolean;
      readonly isShared?: boolean;
    }
  | {
      readonly kind: 'own error';
      readonly status: 503 | 429;
      readonly after?: number;
      readonly dated?: boolean;
    };

/** The faults in which the service is not heard at all. */
export const OUTAGES: readonly FaultKind[] = [
  { kind: 'refused' },
  ...[0, 3_000].map(after => ({ kind: 'proxy', status: 500, after, isEmpty: true }) as const),
  { kind: 'black hole', resent: false },
  { kind: 'black hole', resent: true },
  ...[502, 503, 504, 520, 524].flatMap(status =>
    [0, 10_000, 60_000].map(after => ({ kind: 'proxy', status, after }) as const),
  ),
  ...[204, 304].flatMap(status =>
    [0, 10_000, 30_000].map(after => ({ kind: 'proxy', status, after }) as const),
  ),
];

/** Its name in the title of a test, or in a report. */
export function faultName(fault: FaultKind): string {
  switch (fault.kind) {
    case 'black hole':
      return fault.resent ? 'a black hole that resends' : 'a black hole';
    case 'proxy':
      return `a proxy that answers ${fault.isEmpty ? 'an empty ' : ''}${fault.status} after ${fault.after / 1_000} s`;
    case 'cuts':
      return `a proxy that cuts polls by ${fault.by ?? 504} after ${fault.after / 1_000} s`;
    case 'own error':
      return `own ${fault.status}s${fault.after === undefined ? '' : ` with Retry-After ${fault.after / 1_000} s`}`;
    case 'poison':
      return `a poisoned index: ${fault.how} after ${fault.after / 1_000} s`;
    case 'cache':
      return `a cache of ${fault.ttl / 1_000} s${fault.ignoresQuery ? ', whatever the query' : ''}${fault.isShared ? ', shared' : ''}`;
    default:
      return fault.kind;
  }
}
