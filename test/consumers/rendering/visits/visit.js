import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isPoll, openPage, ownPort, PATIENCE_MS, start, startService, until } from './service.js';

// Starts a server that renders pages, and visits it: `node visit.js '/ /other' node server.js`.
const [paths, ...command] = process.argv.slice(2);
/** The visitors of a path. Each leaves at another moment. */
const VISITORS = 30;
const ANSWER_MS = 100;

const service = await startService(ANSWER_MS);
const { url, token, open, requests } = service;
const port = ownPort();
const origin = `http://127.0.0.1:${port}`;
// A client that polls on the server could do so, with this token.
const server = start(command, {
  PORT: `${port}`,
  HOST: '127.0.0.1',
  SERVICE_URL: url,
  SERVICE_TOKEN: token,
});

/** The page of a visitor, or `undefined` if nothing listens. They leave after `patience` ms. */
const visit = (path, visitor, patience = PATIENCE_MS) =>
  new Promise(resolve => {
    const cookie = `url=${encodeURIComponent(url)}; token=${visitor}`;
    const sent = request(origin + path, { headers: { cookie } }, async answer => {
      let page = '';
      try {
        for await (const part of answer.setEncoding('utf8')) page += part;
      } catch {
        page = 'left';
      }
      resolve(page);
    });
    sent.on('error', ({ code }) => resolve(code === 'ECONNREFUSED' ? undefined : 'left'));
    const timer = setTimeout(() => sent.destroy(), patience);
    sent.on('close', () => clearTimeout(timer));
    sent.end();
  });

/** Many visitors of a path, who leave at any moment. */
async function leave(path) {
  await Promise.all(
    Array.from({ length: VISITORS }, async (_, i) => {
      await delay(10 * i);
      await visit(path, token, 8 * i);
    }),
  );
  if (!(await until(() => open.size === 0))) faults.push(`${path}: ${open.size} requests are open`);
  if ((await visit('/', token)) === undefined) faults.push(`${path}: the server is gone`);
}

/** Whether a page shows Ada, at first and after each change. */
async function hydrate() {
  const { page, isLive, complaints, close } = await openPage(origin, service);
  await page.addInitScript(() => {
    globalThis.shown = [];
    const look = () => {
      const main = document.querySelector('main');
      const text = main?.textContent.includes('Ada') ? 'Ada' : '-';
      if (main && globalThis.shown.at(-1) !== text) globalThis.shown.push(text);
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(origin);
  if (!(await isLive())) faults.push('a page is not live');
  const shown = await page.evaluate(() => globalThis.shown);
  const polls = () => [...open].filter(isPoll).length;
  // The feed and the group of a page are not live in the same moment.
  if (!(await until(() => polls() === 2))) faults.push(`a page has ${polls()} polls`);
  await close();
  faults.push(...complaints);
  return shown.join();
}

const faults = [];
let shown = '';
let said = '';
try {
  await until(async () => (await visit('/', token)) !== undefined);
  for (const path of paths.split(' ')) await leave(path);
  await visit('/', token);
  for (let i = 0; i < 10; i++) {
    const page = await visit('/', 'stranger');
    if (page?.includes('Ada')) faults.push('a stranger sees who is in the group');
    await delay(ANSWER_MS);
  }
  const polls = requests.filter(isPoll).length;
  if (polls > 0) faults.push(`the server has polled: ${polls}`);
  shown = await hydrate();
  if (!(await until(() => open.size === 0))) faults.push(`${open.size} requests are open after the page`);
} catch (error) {
  faults.push(String(error));
} finally {
  said = server.end();
}
console.log(faults.length > 0 ? [...faults, said].join('\n') : `up, alone, silent; shown: ${shown}`);
process.exit(0);
