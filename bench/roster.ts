import { NEVER, of, Subject, type Observable } from 'rxjs';
import { createClient, type Transport, type TransportResponse } from 'lobby-rx';
import { handle } from '../test/payload.js';
import { virtualTime } from '../test/virtual-time.js';
import { interleaved } from './measure.js';
import type { Report } from './report.js';

const PAGE = 100;
const CHANGES = 20;
const ROUNDS = 15;

/**
 * What the change of one member on the first page costs a roster. In virtual time, without a
 * network.
 */
export async function benchRoster(report: Report): Promise<void> {
  const rounds = await interleaved(
    {
      first: rosterOf(10_000),
      larger: rosterOf(20_000),
      copies: copiesOf(10_000),
    },
    { rounds: ROUNDS, warmUp: 3 },
  );
  report.heading(
    `A roster on pages of ${PAGE}: the time from the answer about a member who has changed to the next roster`,
  );
  report.row('10,000 members', rounds.median('first'), 'µs');
  report.add({
    name: '20,000 members; × is beside 10,000',
    value: rounds.median('larger'),
    unit: 'µs',
    ratio: rounds.ratio('larger', 'first'),
    bound: 2.5,
  });
  // Each roster has a Map of its own.
  report.row('copying a Map of 10,000 members, the floor', rounds.median('copies'), 'µs');
}

/** The time that a copy of a Map takes, in µs. */
function copiesOf(size: number): () => number {
  let members = new Map(Array.from({ length: size }, (_, i) => [`identity-${i}`, { identity: handle }]));
  return () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < CHANGES; i++) members = new Map(members);
    return Number(process.hrtime.bigint() - start) / 1_000 / CHANGES;
  };
}

/**
 * Loads a roster, and returns what changes one member of its first page repeatedly and says how
 * long each time took, in µs.
 */
function rosterOf(size: number): () => number {
  const text = (first: number, version: number) => {
    const members = Array.from({ length: PAGE }, (_, i) => {
      const display_name = first + i === 0 ? `Ada ${version}` : 'Ada';
      return { identity: { ...handle, display_name, identity_id: `identity-${first + i}` } };
    });
    const anchor = first + PAGE < size ? String(first + PAGE) : null;
    return JSON.stringify({ members, anchor, watch: { index: String(version) } });
  };
  const answer = (body: string): TransportResponse => ({
    status: 200,
    headers: { get: () => null },
    text: body,
  });
  let page$ = new Subject<TransportResponse>();
  const transport: Transport = ({ url }): Observable<TransportResponse> => {
    const query = new URL(url).searchParams;
    const first = Number(query.get('anchor') ?? 0);
    if (!query.has('watch_index')) return of(answer(text(first, 1)));
    if (first !== 0) return NEVER;
    page$ = new Subject();
    return page$;
  };
  const { scheduler, pass } = virtualTime();
  // As many changes as these would have to wait for the quota of a deployed service.
  const watch = { quota: Infinity };
  const client = createClient({ url: 'https://service.example', token: 't', transport, scheduler, watch });
  let rosters = 0;
  let members = 0;
  client.group.roster('g', { count: PAGE }).subscribe(roster => {
    rosters++;
    members = roster.members.size;
  });
  pass(1_000);
  if (members !== size) throw new Error(`${members} members came`);

  let version = 1;
  return () => {
    const answers = Array.from({ length: CHANGES }, () => answer(text(0, ++version)));
    const before = rosters;
    let time = 0n;
    for (const next of answers) {
      const asked$ = page$;
      const start = process.hrtime.bigint();
      asked$.next(next);
      asked$.complete();
      pass(1);
      time += process.hrtime.bigint() - start;
      // The next poll must be held before there is another change.
      pass(100);
    }
    if (rosters !== before + CHANGES) throw new Error(`${rosters - before} rosters came`);
    return Number(time) / 1_000 / CHANGES;
  };
}
