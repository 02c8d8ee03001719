// What the default transport promises, in whatever runtime.
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { fromFetch, withTimeout } from 'lobby-rx';
import { firstValueFrom } from 'rxjs';

const url = process.argv[2];
const transport = fromFetch();
const POLLS = 6;

/** More than Bun's `fetch` has open at once. */
const MANY = 300;

const send = (path, method = 'GET', over = transport, more = {}) =>
  over({ method, url: url + path, headers: {}, ...(method === 'POST' && { body: '{}' }), ...more });

/** How a request ends: the text of its answer, or the reason of its error. */
const outcomeOf = answer$ =>
  firstValueFrom(answer$).then(
    ({ text }) => text,
    error => error.reason,
  );

/** Waits until the server holds so many requests. */
async function holds(count) {
  for (let waits = 0; ; waits++) {
    const held = await outcomeOf(send('/how-many'));
    if (held === `${count}`) return;
    if (waits === 200) throw new Error(`the server holds ${held} requests, not ${count}`);
    await delay(10);
  }
}

/** The sockets that the server sees so many requests on. */
const socketsOf = count => Promise.all(Array.from({ length: count }, () => outcomeOf(send('/socket'))));

// Compressed, as it has been asked for.
for (let n = 0; n < 3; n++) strictEqual(JSON.parse(await outcomeOf(send('/gzip'))).members.length, 4000);

// Polls on kept sockets that are given up, one by one and by a deadline, leave none open.
await socketsOf(POLLS);
for (let n = 0; n < 3; n++) {
  const polls = Array.from({ length: POLLS }, () => send('/held').subscribe());
  await holds(POLLS);
  for (const poll of polls) poll.unsubscribe();
  await holds(0);
}
const ends = Array.from({ length: POLLS }, () =>
  outcomeOf(send('/held', 'GET', withTimeout(transport, 100))),
);
deepStrictEqual(new Set(await Promise.all(ends)), new Set(['timeout']));
await holds(0);

strictEqual(await outcomeOf(send('/cut')), 'lost');

// Many polls leave room for a request.
const many = Array.from({ length: MANY }, () => send('/held').subscribe());
ok(Number(await outcomeOf(send('/socket', 'POST'))) > 0);
await holds(MANY);
for (const poll of many) poll.unsubscribe();
await holds(0);

// A POST is sent once, even if its connection dies when the server has read it.
await socketsOf(POLLS);
strictEqual(await outcomeOf(send('/read', 'POST')), 'lost');
strictEqual(await outcomeOf(send('/how-often-read')), '1');

const kept = await socketsOf(POLLS);
const fresh = await outcomeOf(send('/socket', 'GET', transport, { needsFreshConnection: true }));
ok(Number(fresh) > 0 && !kept.includes(fresh), 'a fresh connection');
const posts = [];
for (let n = 0; n < POLLS; n++) posts.push(await outcomeOf(send('/socket', 'POST')));
console.log(
  `done, ${posts.filter(socket => kept.includes(socket)).length} of ${POLLS} POSTs on a kept socket`,
);
