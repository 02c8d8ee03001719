import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isPoll, openPage, ownPort, start, startService, until } from './service.js';

// Saves a module that makes a client, while a dev server shows a page with it:
// `node save.js client.ts vite --host 127.0.0.1 --port`. The port is the last argument.
const [module, ...command] = process.argv.slice(2);
const SAVES = 6;
/** A module has nobody who would unsubscribe it when it is replaced. */
const SUBSCRIPTION = 'client.events.feed.all$.subscribe();';

const service = await startService(0);
const { open, requests } = service;
const port = ownPort();
const server = start([...command, `${port}`], { SERVICE_URL: service.url, SERVICE_TOKEN: service.token });
const origin = `http://127.0.0.1:${port}`;
const polls = () => [...open].filter(isPoll).length;
const faults = [];
try {
  await until(() =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const { page, isLive, complaints, close } = await openPage(origin, service);
  await page.goto(origin);
  if (!(await isLive())) faults.push('the page is not live');
  const text = `${readFileSync(module, 'utf8')}${SUBSCRIPTION}\n`;
  // No comment: a dev server may drop it, and serve what it has.
  const save = number => writeFileSync(module, `${text}globalThis.save = ${number};\n`);
  const lastRun = () => page.evaluate(() => globalThis.save).catch(() => undefined);
  // A save may go unnoticed until the page listens to the dev server.
  let warmUp = 0;
  await until(async () => {
    save(--warmUp);
    await delay(2_000);
    return (await lastRun()) !== undefined;
  });
  for (let number = 1; number <= SAVES; number++) {
    const before = requests.length;
    save(number);
    const hasRun = await until(async () => (await lastRun()) === number);
    // The new client polls, and the one before it does not.
    const polled = await until(() => requests.slice(before).filter(isPoll).length >= 2);
    if (!hasRun || !polled) faults.push(`save ${number} has no effect`);
    if (!(await until(() => polls() === 2))) faults.push(`save ${number}: ${polls()} polls`);
    await delay(200);
  }
  if (!(await isLive())) faults.push('the page is not live any more');
  faults.push(...complaints.filter(each => !/HMR|Fast Refresh|hot/i.test(each)));
  await close();
} catch (error) {
  faults.push(String(error));
} finally {
  server.end();
}
console.log(faults.length > 0 ? faults.join('\n') : `${SAVES} saves, 2 polls`);
process.exit(0);
