import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from 'lobby-rx/emulator';
import { service } from './service.js';

const { emulator, group_id, token } = service();
const server = await listen(emulator);
const body = JSON.stringify({ config: { url: server.url, token }, group_id });

const port = 30_000 + (process.pid % 20_000);
const next = spawn('node_modules/.bin/next', ['start', '--port', port], { stdio: 'ignore' });
let answer;
for (let tries = 0; !answer && tries < 100; tries++) {
  await delay(200);
  const request = fetch(`http://127.0.0.1:${port}/members`, { method: 'POST', body });
  answer = await request.catch(() => undefined);
}
console.log(`in Next: ${await answer?.text()}`);
next.kill();
await server.close();
