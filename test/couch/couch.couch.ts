import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch, watchSignals, type Checkpoint } from 'lobby-rx';
import { couchChanges } from 'lobby-rx/services';

const DOCUMENTS = 500;

/**
 * A real clock, since the server is another process: this waits for what has to come, however busy
 * the machine is.
 */
async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    ok(Date.now() < end, `never: ${what}`);
    await sleep(50);
  }
}

describe('a watch of a CouchDB-compatible server', function () {
  this.timeout(120_000);
  let server: ChildProcess;
  let database: string;
  before(async () => {
    server = fork(join(import.meta.dirname, 'server.js'), { execArgv: [], stdio: 'inherit' });
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    database = `http://127.0.0.1:${port}/documents`;
    strictEqual((await fetch(database, { method: 'PUT' })).status, 201);
  });
  after(() => server.kill());

  const figures = async () => {
    const answered = once(server, 'message');
    server.send('figures');
    const [answer] = (await answered) as [{ readonly polls: number; readonly open: number }];
    return answer;
  };
  const restart = async () => {
    const back = once(server, 'message');
    server.send('restart');
    await back;
  };
  /**
   * Writes a document, however often the server goes away meanwhile: one that is there already has
   * been written.
   */
  const write = async (id: string) => {
    const headers = { 'content-type': 'application/json' };
    for (;;) {
      const written = await fetch(`${database}/${id}`, { method: 'PUT', body: '{}', headers }).catch(
        () => undefined,
      );
      if (written?.ok || written?.status === 409) return;
      await sleep(100);
    }
  };

  /** Follows the database, and saves its place only once a batch has been dealt with. */
  function follow(seen: string[], saved: { checkpoint?: Checkpoint }) {
    return watch({
      ...couchChanges(database),
      // A poll of this server never ends by itself.
      timeout: 5_000,
      backoff: { initial: 100, max: 1_000 },
      from: saved.checkpoint ?? '0',
      ack: ({ results }, checkpoint) => {
        seen.push(...results.map(({ id }) => id));
        saved.checkpoint = checkpoint;
      },
    }).subscribe();
  }

  it('sees every document once, through restarts of the server and of itself', async () => {
    const ids = Array.from({ length: DOCUMENTS }, (_, i) => `document-${i}`);
    const seen: string[] = [];
    const saved: { checkpoint?: Checkpoint } = {};
    let following = follow(seen, saved);
    for (const [i, id] of ids.entries()) {
      await write(id);
      if (i % 160 === 100) await restart();
      if (i % 200 === 150) {
        await until(() => seen.includes(id), `${id} before the follower stops`);
        following.unsubscribe();
        following = follow(seen, saved);
      }
      // Now and then, so that some polls bring many documents and others wait for one.
      if (i % 7 === 0) await sleep(20);
    }
    await until(() => seen.length >= DOCUMENTS, 'all documents');
    await sleep(500);
    deepStrictEqual([...seen].sort(), [...ids].sort());
    following.unsubscribe();
  });

  it('asks at most once a second while nothing changes, and leaves no connection open', async () => {
    const following = follow([], {});
    await until(async () => (await figures()).open > 0, 'a poll');
    await sleep(2_000);
    const before = await figures();
    await sleep(10_000);
    const { polls } = await figures();
    ok(polls - before.polls <= 10, `${polls - before.polls} polls in ten seconds`);
    following.unsubscribe();
    // `fetch` keeps a connection for a while for whoever asks next: what is gone is the one of the
    // poll.
    await until(async () => (await figures()).open <= 1, 'the end of the poll');
  });

  /**
   * Follows the database from now: the ids of its documents, and the reasons of gaps. The watch has
   * its first index before it asks for changes.
   */
  const followed = async () => {
    const seen: string[] = [];
    const { polls: earlier } = await figures();
    const following = watchSignals({
      ...couchChanges(database),
      timeout: 2_000,
      backoff: { initial: 100, max: 1_000 },
    }).subscribe(signal => {
      if (signal.kind === 'answer') seen.push(...signal.answer.results.map(({ id }) => id));
      if (signal.kind === 'gap') seen.push(signal.gap.reason);
    });
    await until(async () => (await figures()).polls > earlier, 'a poll');
    return { seen, stop: () => following.unsubscribe() };
  };
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

  it('says so in a gap if the database was created again, and sees what is written then', async () => {
    await write('before');
    const { seen, stop } = await followed();
    await fetch(database, { method: 'DELETE' });
    await fetch(database, { method: 'PUT' });
    await until(() => seen.length > 0, 'the gap');
    for (const id of ids('again', 12)) await write(id);
    await until(() => seen.includes('again-11'), 'the last of them');
    stop();
    ok(['index_backwards', 'index_rejected'].includes(seen[0]!), seen[0]);
    deepStrictEqual(seen.slice(1), ids('again', 12));
  });

  it('says so in a gap if the database was restored, and sees what is written then', async () => {
    const copy = await fetch(`${database}/_all_docs?include_docs=true`);
    const { rows } = (await copy.json()) as { readonly rows: readonly { readonly doc: object }[] };
    const { seen, stop } = await followed();
    for (const id of ids('lost', 8)) await write(id);
    await until(() => seen.length === 8, 'all before');
    await fetch(database, { method: 'DELETE' });
    await fetch(database, { method: 'PUT' });
    const body = JSON.stringify({ docs: rows.map(({ doc }) => doc), new_edits: false });
    const headers = { 'content-type': 'application/json' };
    ok((await fetch(`${database}/_bulk_docs`, { method: 'POST', body, headers })).ok);
    await until(() => seen.length > 8, 'the gap');
    for (const id of ids('new', 12)) await write(id);
    await until(() => seen.includes('new-11'), 'the last of them');
    stop();
    const gaps = seen.filter(each => each.startsWith('index_'));
    ok(gaps.length === 1, gaps.join());
    // The restored documents may come again, after the gap.
    deepStrictEqual(seen.slice(0, 8), ids('lost', 8));
    deepStrictEqual(
      seen.filter(id => id.startsWith('new-')),
      ids('new', 12),
    );
  });
});
