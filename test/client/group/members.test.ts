import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { of, throwError } from 'rxjs';
import {
  createClient,
  isDecodeError,
  isTransportError,
  TransportError,
  type MembersConfig,
  type Transport,
} from 'lobby-rx';
import { longestWait } from '../../longest-wait.js';
import { handle } from '../../payload.js';
import { virtualTime } from '../../virtual-time.js';

interface Book {
  /** The ids of a page, and its anchor, by the number of the request. */
  readonly page: (request: number) => readonly [ids: readonly string[], anchor?: string | undefined];
  /** Which requests fail. */
  readonly fails?: (request: number) => boolean;
}

/** A client of a service that answers requests for members from a book, in virtual time. */
function reading({ page, fails = () => false }: Book) {
  const { scheduler, pass } = virtualTime();
  let requests = 0;
  const transport: Transport = request => {
    const n = requests++;
    if (fails(n)) return throwError(() => new TransportError('lost', 'lost', request));
    const [ids, anchor] = page(n);
    const members = ids.map(identity_id => ({ identity: { ...handle, identity_id } }));
    const text = JSON.stringify({ members, anchor, watch: { index: '1' } });
    return of({ status: 200, headers: { get: () => null }, text });
  };
  const client = createClient({
    url: 'https://a.example',
    token: 't',
    transport,
    scheduler,
    testing: { random: longestWait },
  });
  return { client, pass, requests: () => requests };
}

/** The ids of all members of a group, or the error that ends the walk. */
async function walk({ client, pass }: ReturnType<typeof reading>, config?: MembersConfig): Promise<unknown> {
  const ids: string[] = [];
  let failure: unknown;
  client.group.members('g', config).subscribe({
    next: ({ identity }) => ids.push(identity.identity_id),
    error: (error: unknown) => {
      failure = error;
    },
  });
  // Each page is requested in a promise's time.
  for (let i = 0; i < 500; i++) {
    pass(500);
    await Promise.resolve();
  }
  return failure ?? ids;
}

describe('a walk over the members of a group', () => {
  it('ends with an error, not never, if pages of known members come again under fresh anchors', async () => {
    const world = reading({ page: n => [n % 2 === 0 ? ['a', 'b'] : ['c', 'd'], String(n)] });
    const error = await walk(world);
    ok(isDecodeError(error));
    strictEqual(
      error.message,
      'members: expected a page with new members, got only members of the pages before',
    );
    strictEqual(world.requests(), 3);
  });

  it('ends with an error if known members come again on pages that are larger than what it remembers', async () => {
    const page = (name: string) => Array.from({ length: 1_200 }, (_, i) => `${name} ${i}`);
    const world = reading({ page: n => [page(n % 2 === 0 ? 'a' : 'b'), String(n)] });
    ok(isDecodeError(await walk(world)));
    strictEqual(world.requests(), 3);
  });

  it('ends with an error after the 16th empty page in a row, and goes on after fewer', async () => {
    const empty = reading({ page: n => [[], String(n)] });
    match(String(await walk(empty)), /members: expected a page with members, got 16 empty pages in a row/);
    strictEqual(empty.requests(), 16);
    const sparse = reading({ page: n => [n % 16 === 0 ? [`${n}`] : [], n < 160 ? String(n) : undefined] });
    strictEqual(((await walk(sparse)) as unknown[]).length, 11);
  });

  it('emits no one twice across neighbouring pages, and completes before a page that repeats the last one', async () => {
    const pages = [['a', 'b', 'c'], ['c', 'd'], ['d']];
    const world = reading({ page: n => [pages[n]!, String(n)] });
    deepStrictEqual(await walk(world), ['a', 'b', 'c', 'd']);
    strictEqual(world.requests(), 3);
  });

  it('takes pages larger than what it remembers', async () => {
    const page = (from: number) => Array.from({ length: 3_000 }, (_, i) => `${from + i}`);
    const world = reading({ page: n => [page(n * 1_500), n < 4 ? String(n) : undefined] });
    strictEqual(((await walk(world)) as unknown[]).length, 9_000);
  });

  it('retries each page by itself with backoff, so that it comes to its end although many requests fail', async () => {
    const fails = (n: number) => n % 3 === 1;
    const book: Book = { fails, page: n => [[`${n}`], n < 30 ? `${n}` : undefined] };
    const numbers = Array.from({ length: 31 }, (_, n) => n).filter(n => !fails(n));
    deepStrictEqual(await walk(reading(book), { backoff: {} }), numbers.map(String));
    ok(isTransportError(await walk(reading(book))));
  });

  it('ends with an error that is not transient, and after the given number of retries', async () => {
    const down = reading({ fails: () => true, page: () => [[]] });
    ok(isTransportError(await walk(down, { backoff: { retries: 3 } })));
    strictEqual(down.requests(), 4);
  });
});
