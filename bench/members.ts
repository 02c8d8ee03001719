import { count, lastValueFrom, take, tap } from 'rxjs';
import { createClient } from 'lobby-rx';
import { getJson } from './hand-written.js';
import { compare, heap, interleaved } from './measure.js';
import type { Report } from './report.js';
import { startService } from './service-process.js';

const GROUP = 1_000_000;
const PAGE = 1_000;
const ROUNDS = 5;
const MEMBERS_A_ROUND = GROUP / ROUNDS;

/** Paging through a group of a million members: the time beside a loop by hand, and the memory. */
export async function benchMembers(report: Report): Promise<void> {
  const service = await startService();
  const client = createClient({ url: service.url, token: 't' });
  const members$ = client.group.members('g', { count: PAGE });

  let [seen, highest] = [0, 0];
  const before = heap();
  const total = await lastValueFrom(
    members$.pipe(
      tap(() => {
        if (++seen % 100_000 === 0) highest = Math.max(highest, heap() - before);
      }),
      count(),
    ),
  );
  report.heading(`Paging through a group of ${total.toLocaleString('en')} members, ${PAGE} per page`);
  report.row('highest heap growth on the way', highest, 'MB', 8);

  const time = (read: () => Promise<number>) => async () => {
    const start = performance.now();
    const members = await read();
    if (members !== MEMBERS_A_ROUND) throw new Error(`${members} members came`);
    return ((performance.now() - start) * 1_000) / members;
  };
  const rounds = await interleaved(
    {
      'lobby-rx, per member': time(() => lastValueFrom(members$.pipe(take(MEMBERS_A_ROUND), count()))),
      'a loop by hand on cross-fetch': time(() => readByHand(service.url)),
    },
    { rounds: ROUNDS },
  );
  compare(report, rounds, 'µs', { 'a loop by hand on cross-fetch': [1.6, 1.15] });
  service.stop();
}

interface Page {
  readonly members: readonly { readonly identity: { readonly identity_id: string } }[];
  readonly anchor: string | null;
}

/** What one writes for pages: request, read, request the next one. */
async function readByHand(url: string): Promise<number> {
  let members = 0;
  for (let anchor: string | null = ''; anchor !== null && members < MEMBERS_A_ROUND;) {
    const query: string = anchor === '' ? '' : `&anchor=${anchor}`;
    const page: Page = await getJson<Page>(`${url}/v1/groups/g/members?count=${PAGE}${query}`);
    for (const { identity } of page.members) {
      if (identity.identity_id !== '') members++;
    }
    anchor = page.anchor;
  }
  return members;
}
