#!/usr/bin/env bash
# undici 7.30.2 on Node 20: an Agent with `allowH2`, and requests that begin together to one server.
# Guess: they share one HTTP/2 session. Seen: a session for each of 50; with `connections: 1` and
# `pipelining: 100`, one. Long polls that start together meet it. Exits 1 if that has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.2
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem 2>/dev/null
cat >sessions.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { Agent, fetch } from 'undici';

const REQUESTS = 50;

async function sessionsOf(options) {
  const sessions = new Set();
  const server = createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') });
  server.on('session', session => sessions.add(session));
  const allHeld = new Promise(resolve => {
    let held = 0;
    server.on('stream', stream => {
      stream.on('error', () => undefined);
      held += 1;
      if (held === REQUESTS) resolve();
    });
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Agent({ ...options, allowH2: true, connect: { rejectUnauthorized: false } });
  const url = `https://127.0.0.1:${server.address().port}`;
  for (let n = 0; n < REQUESTS; n++) fetch(url, { dispatcher }).catch(() => undefined);
  await allHeld;
  for (const session of sessions) session.destroy();
  server.close();
  await dispatcher.destroy();
  return sessions.size;
}

const plain = await sessionsOf({});
const limited = await sessionsOf({ connections: 1, pipelining: 100 });
console.log(`undici 7.30.2, Node ${process.version}: ${plain} sessions; with connections and pipelining ${limited}`);
process.exit(plain === REQUESTS && limited === 1 ? 0 : 1);
JS
timeout 60 node sessions.mjs
