// Prints, as a JSON array, the files of src that one event enters on its way from the socket to
// `feed.lobbyJoin$`.

import { Session, type Profiler } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NEVER } from 'rxjs';
import { createClient } from 'lobby-rx';
import { lobbyJoin } from '../payload.js';
import { rawServer } from '../raw-server.js';
import { waitUntil } from '../wait-until.js';

const SRC = join(import.meta.dirname, '../../src');

/** An answer of the event feed, as the bytes of a socket. */
function answer(index: number, ...events: object[]): string {
  const body = JSON.stringify({ events, watch: { index: String(index) } });
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A lobby join as it is on the wire. No two are equal: an equal one would be a repetition. */
const lobbyJoinEvent = (n: number) => ({
  kind: { matchmaker_lobby_join: lobbyJoin },
  ts: `2026-01-01T00:00:0${n}Z`,
});

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The files of src with a function that was called since the last call of this one. */
function enteredFiles(): string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // In a session of the same thread, the callback is called before `post` returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    scripts = result;
  });
  return scripts
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .filter(({ url }) => url.startsWith('file://'))
    .map(({ url }) => relative(SRC, fileURLToPath(url)))
    .filter(path => !path.startsWith('..'))
    .sort();
}

let polls = 0;
const server = await rawServer((socket, nth) => {
  polls = nth + 1;
  // Without an index the service answers at once; every other poll hangs.
  if (nth === 0) socket.write(answer(1));
});
// `wake$`: a check of the clock may come at any time, and is not part of an event.
const client = createClient({ url: server.url, token: 't', watch: { wake$: NEVER } });
let events = 0;
let files: string[] = [];
const subscription = client.events.feed.lobbyJoin$.subscribe(() => {
  files = enteredFiles();
  events++;
});

// The first event runs code that has never run before; the second takes the path of all that
// follow.
for (const n of [1, 2]) {
  await waitUntil(() => polls === n + 1);
  enteredFiles();
  server.sockets.at(-1)!.write(answer(n + 1, lobbyJoinEvent(n)));
  await waitUntil(() => events === n);
}
console.log(JSON.stringify(files));

subscription.unsubscribe();
session.disconnect();
await server.close();
