import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distinctUntilChanged, filter, firstValueFrom, map, merge, ReplaySubject, toArray } from 'rxjs';
import { createClient, isClientError, type WatchStatus } from 'lobby-rx';
import { createEmulator, listen, type Fault } from 'lobby-rx/emulator';
import { longestWait } from '../longest-wait.js';
import { virtualWorld } from '../virtual-world.js';

interface Row {
  /** The first cell of the table in docs/faults.md. */
  readonly when: string;
  readonly faults: readonly Fault[];
  readonly times?: number;
  /** What the subscriber sees: states, in order, and gaps. */
  readonly states?: readonly WatchStatus['state'][];
  readonly gaps?: readonly string[];
  /** The events that the service loses for good. */
  readonly lost?: readonly string[];
  /** The events that the service sends again, since its index went back. */
  readonly again?: readonly string[];
  /** The maximum delay of an event, in ms, with maximum jitter. */
  readonly within?: number;
  readonly ends?: boolean;
}

const FLAPS = ['connecting', 'live', 'retrying', 'live'] as const;
const CALM = ['connecting', 'live'] as const;
const of = (
  ...kinds: readonly ('reset_before_request' | 'reset_before_headers' | 'reset_in_body' | 'close_in_body')[]
) => kinds.map((kind): Fault => ({ kind }));

/** The one row that needs a real port. */
const UNREACHABLE = 'no connection can be made: nothing listens on the port';

const rows: readonly Row[] = [
  {
    when: 'the connection is reset before the headers, or breaks in the body',
    faults: of('reset_before_request', 'reset_before_headers', 'reset_in_body', 'close_in_body'),
    states: FLAPS,
    within: 600,
  },
  {
    when: 'nothing comes, and the connection stays open',
    faults: [{ kind: 'stall_before_headers' }],
    states: CALM,
    within: 70_500,
  },
  { when: 'a body stalls', faults: [{ kind: 'stall_in_body' }], states: FLAPS, within: 16_000 },
  {
    when: 'an answer is cut off, is other JSON, is HTML with a 200, or is too large',
    faults: [
      { kind: 'truncated_json' },
      { kind: 'wrong_json' },
      { kind: 'html', status: 200 },
      { kind: 'oversized' },
    ],
    states: FLAPS,
    within: 600,
  },
  {
    when: 'a proxy gives up on the poll after five seconds or more: 502, 504, 520, 524',
    faults: [502, 504, 520, 524].map((status): Fault => ({ kind: 'html', status, after: 30_000 })),
    states: CALM,
    within: 30_200,
  },
  {
    when: 'the server or a proxy fails: 500 (with or without a body), 502, 503, 504, 520, 524',
    faults: [
      ...[500, 502, 503, 504, 520, 524].map((status): Fault => ({ kind: 'html', status })),
      { kind: 'empty' },
    ],
    states: FLAPS,
    within: 600,
  },
  {
    when: 'a proxy answers with its own page: 400, 403, 404, 410',
    faults: [400, 403, 404, 410].map((status): Fault => ({ kind: 'html', status })),
    states: FLAPS,
    within: 600,
  },
  {
    when: 'one of these, or a 500 of the service itself, comes five times in a row',
    faults: [
      ...[404, 500, 502, 503, 504].map((status): Fault => ({ kind: 'html', status })),
      { kind: 'reset_before_request' },
      { kind: 'error' },
      { kind: 'empty' },
    ],
    times: 5,
    states: ['connecting', 'live', ...Array<'retrying'>(5).fill('retrying'), 'live'],
    within: 16_000,
  },
  {
    when: 'the service rejects the index: 400, 404, 410 with a code; or it is too long: 414, 431',
    faults: [
      ...[400, 404, 410].map((status): Fault => ({ kind: 'error', status })),
      ...[414, 431].map((status): Fault => ({ kind: 'html', status })),
    ],
    states: FLAPS,
    gaps: ['index_rejected'],
    within: 600,
  },
  {
    when: 'the service asks to wait: 429 with seconds, with a date, with metadata',
    faults: [
      { kind: 'rate_limited', wait: 20_000 },
      { kind: 'rate_limited', wait: 20_000, form: 'date' },
      { kind: 'rate_limited', wait: 20_000, form: 'metadata' },
    ],
    states: FLAPS,
    within: 21_500,
  },
  { when: 'the answer is a redirect', faults: [{ kind: 'redirect' }], states: FLAPS, within: 600 },
  { when: 'the token has expired: 401', faults: [{ kind: 'unauthorized' }], states: CALM, within: 200 },
  {
    when: 'a 401 remains after the token was renewed; or a 403',
    faults: [{ kind: 'unauthorized' }],
    times: 2,
    states: ['connecting', 'live', 'closed'],
    lost: ['a', 'b'],
    ends: true,
  },
  {
    when: 'an answer has no index, or an empty one',
    faults: [{ kind: 'index_missing' }, { kind: 'index_empty' }],
    states: CALM,
    gaps: ['index_missing'],
    within: 1_200,
  },
  {
    when: 'an index is too long for a URL',
    faults: [{ kind: 'index_absurd' }],
    states: CALM,
    gaps: ['index_missing'],
    within: 1_200,
  },
  {
    when: 'the index goes backwards',
    faults: [{ kind: 'index_backwards' }],
    states: CALM,
    gaps: ['index_backwards'],
    again: ['first', 'second', 'a'],
  },
  {
    when: 'an index comes from another machine, whose clock is behind',
    faults: [{ kind: 'index_skewed' }],
    states: CALM,
    within: 1_200,
  },
  { when: 'the same batch comes twice', faults: [{ kind: 'repeat' }], states: CALM, within: 200 },
  {
    when: 'the server always answers at once that nothing is new',
    faults: [{ kind: 'hot' }],
    times: 40,
    states: CALM,
    within: 1_200,
  },
];

/**
 * What a feed does about a fault in its poll after 10 s, with one event at 11 s and another at 200
 * s.
 */
function observe(fault: Fault, times: number) {
  const { scheduler, emulator, identity_id, client, pass } = virtualWorld({ random: longestWait });
  const seen = {
    states: [] as string[],
    gaps: [] as string[],
    events: [] as string[],
    delays: [] as number[],
    ended: false,
  };
  const { feed } = client.events;
  feed.status$.subscribe(({ state }) => {
    if (state !== 'idle') seen.states.push(state);
  });
  feed.gap$.subscribe({ next: ({ reason }) => seen.gaps.push(reason), error: () => undefined });
  feed.all$.subscribe({
    next: event => {
      if (event.kind !== 'unknown') return;
      seen.events.push(event.name);
      seen.delays.push(scheduler.now() - Date.parse(event.ts));
    },
    error: (error: unknown) => {
      seen.ended = isClientError(error);
    },
  });
  pass(5_000);
  emulator.publish(identity_id, { first: 1 });
  pass(5_000);
  emulator.fault(fault, { times });
  // The blocking poll was sent before; this ends it, so that the fault happens to the next one.
  emulator.publish(identity_id, { second: 1 });
  pass(1_000);
  emulator.publish(identity_id, { a: 1 });
  pass(189_000);
  emulator.publish(identity_id, { b: 1 });
  pass(10_000);
  return seen;
}

describe('What happens when', () => {
  it(UNREACHABLE, async () => {
    const emulator = createEmulator();
    const { identity_id, token } = emulator.addIdentity();
    const server = await listen(emulator);
    const { feed } = createClient({
      url: server.url,
      token,
      testing: { random: () => 0 },
      watch: { linger: 0 },
    }).events;
    const seen$ = new ReplaySubject<string>(Infinity);
    const watching = merge(
      feed.status$.pipe(map(({ state }) => state)),
      feed.gap$.pipe(map(({ reason }) => reason)),
      feed.unknown$.pipe(map(({ name }) => name)),
    ).subscribe(seen$);
    const sees = (wanted: string) => firstValueFrom(seen$.pipe(filter(seen => seen === wanted)));

    await sees('live');
    await server.close();
    await sees('offline');
    emulator.publish(identity_id, { missed: 1 });
    const again = await listen(emulator, { port: server.port });
    await sees('missed');
    watching.unsubscribe();
    await again.close();

    seen$.complete();
    // The poll that hung when the server closed may be lost before the next one finds nobody.
    const seen = seen$.pipe(
      filter(state => state !== 'retrying' && state !== 'idle'),
      distinctUntilChanged(),
      toArray(),
    );
    deepStrictEqual(await firstValueFrom(seen), ['connecting', 'live', 'offline', 'live', 'missed']);
  });

  for (const row of rows) {
    it(row.when, () => {
      for (const fault of row.faults) {
        const { states, gaps, events, delays, ended } = observe(fault, row.times ?? 1);
        const lost = row.lost ?? [];
        const name = JSON.stringify(fault);
        deepStrictEqual(states, row.states, name);
        deepStrictEqual(gaps, row.gaps ?? [], name);
        deepStrictEqual(
          events,
          ['first', 'second', 'a', ...(row.again ?? []), 'b'].filter(event => !lost.includes(event)),
          name,
        );
        deepStrictEqual(ended, row.ends ?? false, name);
        ok(Math.max(...delays) <= (row.within ?? Infinity), `${name}: ${String(delays)}`);
      }
    });
  }

  it('is documented in docs/faults.md, row by row', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/faults.md'), 'utf8');
    const section = page.split('## What happens when…')[1]?.split('\n## ')[0] ?? '';
    const documented = [...section.matchAll(/^\| (?!when|-)(.*?) +\|/gm)].map(match => match[1]);
    deepStrictEqual(documented, [UNREACHABLE, ...rows.map(({ when }) => when)]);
  });
});
