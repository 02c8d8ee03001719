import { count, lastValueFrom, of, tap } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { handle } from '../test/payload.js';
import { heap } from './heap.js';
import type { Report } from './report.js';

const MEMBERS = 1_000_000;
const PAGE = 1_000;

/** The memory needed to page through a group of a million members. */
export async function benchMembers(report: Report): Promise<void> {
  const transport: Transport = ({ url }) => {
    const first = Number(new URL(url).searchParams.get('anchor') ?? 0);
    const members = Array.from({ length: PAGE }, (_, i) => ({
      identity: { ...handle, identity_id: `identity-${first + i}` },
    }));
    const anchor = first + PAGE < MEMBERS ? String(first + PAGE) : null;
    const text = JSON.stringify({ members, anchor, watch: { index: '1' } });
    return of({ status: 200, headers: { get: () => null }, text });
  };
  const url = 'https://service.example';
  const client = createClient({ groupUrl: url, matchmakerUrl: url, apiUrl: url, token: 't', transport });

  let seen = 0;
  let highest = 0;
  const before = heap();
  const start = performance.now();
  const total = await lastValueFrom(
    client.group.members('g', { count: PAGE }).pipe(
      tap(() => {
        if (++seen % 100_000 === 0) highest = Math.max(highest, heap() - before);
      }),
      count(),
    ),
  );
  report.heading(`Paging through a group of ${total.toLocaleString('en')} members, ${PAGE} per page`);
  report.row('highest heap growth on the way', highest, 'MB', 8);
  report.row('members per second', (total / (performance.now() - start)) * 1000, '/s');
}
