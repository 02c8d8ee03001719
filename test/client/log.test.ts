import { deepStrictEqual, ok } from 'node:assert';
import { lastValueFrom, of, throwError } from 'rxjs';
import { createClient, type LogEntry, type Transport } from 'lobby-rx';
import { marbles } from '../marbles.js';

const url = 'https://service.example';
const urls = { groupUrl: url, matchmakerUrl: url, apiUrl: url };
const headers = { get: () => null };
const batch = (index: string, ...events: object[]) => JSON.stringify({ events, watch: { index } });

/** A log entry as one short line. */
function word(entry: LogEntry): string {
  if (entry.kind === 'poll_end') return `${entry.at} turn ${entry.why} ${Math.round(entry.wait)}`;
  if (entry.kind === 'status') return `${entry.at} status ${entry.status.state}`;
  return `${entry.at} ${entry.kind}${entry.kind === 'answer' ? ` ${entry.status}` : ''}`;
}

describe('the log', () => {
  it(
    'records every request and every decision, so that every wait can be explained',
    marbles(({ cold, expectObservable, flush }) => {
      const answers: Transport[] = [
        () => cold('-(a|)', { a: { status: 200, headers, text: batch('1', { kind: { x: 1 }, ts: '' }) } }),
        () =>
          cold('-(a|)', {
            a: { status: 429, headers: { get: (name: string) => (name === 'age' ? null : '30') }, text: '' },
          }),
        () => cold('-#'),
        () => cold('-'),
      ];
      const seen: string[] = [];
      const watches = new Set<number | undefined>();
      const client = createClient({
        ...urls,
        token: 't0ken',
        transport: request => answers.shift()!(request),
        log: entry => {
          seen.push(word(entry));
          watches.add('watchId' in entry ? entry.watchId : entry.pollOf);
        },
        testing: { random: () => 0 },
      });
      expectObservable(client.events.batches(), '31s !');
      flush();
      deepStrictEqual(seen, [
        '0 status connecting',
        '0 request',
        '1 answer 200',
        '1 status live',
        '1 turn news 0',
        '1 request',
        '2 answer 429',
        '2 status retrying',
        '2 turn retry_after 30000',
        '30002 request',
        '30003 failure',
        '30003 status retrying',
        '30003 turn failed 0',
        '30003 request',
        '31000 abort',
      ]);
      // A poll has the number of its watch.
      deepStrictEqual([watches.size, watches.has(undefined)], [1, false]);
    }),
  );

  it('contains no token, and does no harm if it throws', async () => {
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry) => {
      entries.push(entry);
      throw new Error('the disk is full');
    };
    const transport: Transport = ({ headers: { authorization }, body }) =>
      throwError(() => new Error(`${authorization} ${body}`));
    const client = createClient({ ...urls, token: 'bearer-s3cret', transport, log });
    const confirmation$ = client.matchmaker.players.connected({ player_token: 'player-s3cret' });
    ok((await lastValueFrom(confirmation$).catch((e: unknown) => e)) instanceof Error);
    const fine = createClient({
      ...urls,
      token: 'bearer-s3cret',
      transport: () => of({ status: 200, headers, text: '{}' }),
      log,
    });
    await lastValueFrom(fine.matchmaker.players.connected({ player_token: 'player-s3cret' }));
    deepStrictEqual(
      entries.map(({ kind }) => kind),
      ['request', 'failure', 'request', 'answer'],
    );
    ok(
      !JSON.stringify(entries, (_, value: unknown) =>
        value instanceof Error ? String(value.stack) : value,
      ).includes('s3cret'),
    );
  });
});
