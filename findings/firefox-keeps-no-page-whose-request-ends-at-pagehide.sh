#!/usr/bin/env bash
# Firefox ESR 153.8 of Debian (firefox-esr), driven over WebDriver BiDi.
# Guess: a page that aborts its fetch at `pagehide` is kept in the back/forward cache, as in Chromium.
# Seen: it is loaded again, and also if it aborts in the task that navigates. It is kept without a
# request, or if a Worker has the request. What is loaded again by "back" gets, from a plain `fetch`,
# an answer without any cache header out of the cache: the server is not asked. Exits 1 if that has
# changed, and 2 without Firefox.
set -euo pipefail
firefox=${FIREFOX:-/usr/bin/firefox-esr}
if [ ! -x "$firefox" ]; then
  echo "There is no $firefox. Install firefox-esr, or set FIREFOX to its path." >&2
  exit 2
fi
"$firefox" --version
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ws@8.18.3
cat >pages.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocket } from 'ws';

const [path, profile] = process.argv.slice(2);

const HOLD = `const held = new AbortController();
  fetch('/held', { signal: held.signal }).catch(() => undefined);`;
const PAGES = {
  'no request': { script: '', isKept: true },
  'a request that it aborts at pagehide': {
    script: `${HOLD} addEventListener('pagehide', () => held.abort());`,
    isKept: false,
  },
  'a request that it aborts as it navigates': {
    script: `${HOLD} globalThis.leave = () => held.abort();`,
    isKept: false,
  },
  'a Worker with a request': { script: `new Worker('/worker.js');`, isKept: true },
};
const COUNTING = `${HOLD} globalThis.count = fetch('/count').then(answer => answer.text());`;

let script = '';
let held = 0;
let counted = 0;
const server = createServer((request, response) => {
  if (request.url === '/held') {
    held += 1;
  } else if (request.url === '/count') {
    counted += 1;
    response.end(`${counted}`);
  } else if (request.url === '/worker.js') {
    response.setHeader('content-type', 'text/javascript');
    response.end(`fetch('/held');`);
  } else {
    response.setHeader('content-type', 'text/html');
    const run = request.url === '/elsewhere' ? '' : script;
    response.end(`<!doctype html><script>globalThis.born = Math.random(); ${run}</script>`);
  }
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const firefox = spawn(path, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
process.once('exit', () => firefox.kill());
const url = await new Promise(resolve => {
  let printed = '';
  firefox.stderr.setEncoding('utf8').on('data', text => {
    printed += text;
    const [found] = /ws:\/\/[\d.:]+/.exec(printed) ?? [];
    if (found) resolve(found);
  });
});
const socket = new WebSocket(`${url}/session`);
await once(socket, 'open');
const answers = new Map();
socket.on('message', data => {
  const { id, result, message } = JSON.parse(data);
  answers.get(id)?.({ result, message });
});
async function send(method, params) {
  const id = answers.size + 1;
  const answered = new Promise(resolve => answers.set(id, resolve));
  socket.send(JSON.stringify({ id, method, params }));
  const { result, message } = await answered;
  if (message !== undefined) throw new Error(`${method}: ${message}`);
  return result;
}
async function until(isSo) {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 10));
}

/** Opens a page with this script, leaves it, and goes back: whether an expression has kept its value. */
async function leaveAndReturn(run, read) {
  script = run;
  const heldBefore = held;
  const { context } = await send('browsingContext.create', { type: 'tab' });
  const evaluate = async expression => {
    const params = { expression, target: { context }, awaitPromise: true };
    const { result } = await send('script.evaluate', params);
    return result?.value;
  };
  // In the middle of a navigation there may be no page to ask.
  const isAt = path => () =>
    evaluate(`location.pathname + document.readyState`).then(
      at => at === `${path}complete`,
      () => false,
    );
  await send('browsingContext.navigate', { context, url: `${origin}/page`, wait: 'complete' });
  if (run !== '') await until(() => held > heldBefore);
  const before = await evaluate(read);
  await evaluate(`void (globalThis.leave?.(), (location.href = '/elsewhere'))`);
  await until(isAt('/elsewhere'));
  await send('browsingContext.traverseHistory', { context, delta: -1 });
  await until(isAt('/page'));
  const after = await evaluate(read);
  await send('browsingContext.close', { context });
  return before === after;
}

await send('session.new', { capabilities: {} });
let isAsSaid = true;
for (const [name, page] of Object.entries(PAGES)) {
  const isKept = await leaveAndReturn(page.script, 'born');
  console.log(`a page with ${name}: ${isKept ? 'kept' : 'loaded again'}`);
  isAsSaid &&= isKept === page.isKept;
}
await leaveAndReturn(COUNTING, 'count');
console.log(`a page that fetches /count, and is loaded again: the server is asked ${counted} times`);
isAsSaid &&= counted === 1;
socket.terminate();
const ended = once(firefox, 'exit');
firefox.kill();
await ended;
process.exit(isAsSaid ? 0 : 1);
JS
mkdir profile
timeout 60 node pages.mjs "$firefox" "$folder/profile"
