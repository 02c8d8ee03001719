import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { createEmulator, listen } from 'lobby-rx/emulator';

/** A machine may have much other work. */
export const PATIENCE_MS = 60_000;

export const until = async isTrue => {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(50)) {
    if (await isTrue()) return true;
  }
  return false;
};

/** A port that no connection of this machine gets by itself: those begin at 32,768. */
export const ownPort = () => 10_000 + (process.pid % 20_000);

export const isPoll = ({ url }) => url.includes('watch_index');

/**
 * The service, with Ada in a group. It answers after `answerMs`, so that visitors leave before it
 * does. `open` are the requests without an answer, and `requests` are all.
 */
export async function startService(answerMs) {
  const emulator = createEmulator({ collectTime: 0 });
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  emulator.join(emulator.addGroup({ group_id: 'group' }), ada.identity_id);
  const service = await listen(emulator);
  const open = new Set();
  const requests = [];
  const server = createServer((asked, answer) => {
    open.add(asked);
    requests.push(asked);
    const pass = () => {
      const { url, method, headers } = asked;
      const sent = request(service.url + url, { method, headers }, got => {
        answer.writeHead(got.statusCode, got.headers);
        got.pipe(answer);
      });
      sent.on('error', () => answer.destroy());
      answer.on('close', () => sent.destroy());
      asked.pipe(sent);
    };
    const waiting = setTimeout(pass, isPoll(asked) ? 0 : answerMs);
    answer.on('close', () => {
      clearTimeout(waiting);
      open.delete(asked);
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.on('listening', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, token: ada.token, open, requests };
}

/** A program, on a port, and what it says of errors. `end` ends it and its own programs. */
export function start([file, ...args], env) {
  const program = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  program.stderr.on('data', text => {
    said += text;
  });
  const end = () => {
    if (program.exitCode === null && program.signalCode === null) process.kill(-program.pid);
    return said.slice(-2_000);
  };
  return { end };
}

/** A page of a visitor in Chromium, and what it complains of. */
export async function openPage(origin, { url, token }) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext();
  const cookies = { url: encodeURIComponent(url), token };
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
  const page = await context.newPage();
  const complaints = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  const isLive = () =>
    until(async () => {
      const text = await page.innerText('main').catch(() => '');
      return text.replace(/\s+/g, ' ').includes('live, live');
    });
  return { page, isLive, complaints, close: () => browser.close() };
}
