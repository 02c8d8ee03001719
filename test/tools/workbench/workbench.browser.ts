import { deepStrictEqual, match, ok } from 'node:assert';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { createClient } from 'lobby-rx';
import { startChromium } from '../../integrations/browser/page/stage.js';
import { spawnTs } from '../../spawn-ts.js';
import { waitUntil } from '../../wait-until.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Where to put the pictures of the documentation. Default: nowhere. */
const { SCREENSHOTS } = process.env;
/** The most that the page may weigh, in bytes, compressed. */
const HEAVIEST = 60_000;

describe('lobby-rx emulate --ui, in Chromium', function () {
  this.timeout(60_000);
  let folder: string;
  let dist: string;
  let emulator: ChildProcess;
  let world: Record<string, string>;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const count = (selector: string) => page.locator(selector).count();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** In a picture, one thing happens after the other. */
  const apart = () => page.waitForTimeout(SCREENSHOTS ? 2_500 : 0);
  const result = () => page.locator('output').innerText();
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'workbench-'));
    // In the project, whose packages it needs.
    dist = join(ROOT, 'node_modules/.cache/lobby-rx/workbench', String(process.pid));
    execFileSync('npx', ['tsx', 'test/build.ts', dist], { cwd: ROOT });
    const program = join(dist, 'node/lobby-rx.js');
    emulator = spawn(
      process.execPath,
      [program, 'emulate', '--ui', '--json', '--seed', '7', '--exit-with-stdin'],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(createInterface({ input: emulator.stdout! }), 'line')) as [string];
    world = JSON.parse(line) as Record<string, string>;
    browser = await startChromium();
    page = await browser.newPage({ viewport: { width: 1_280, height: 860 } });
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    await page.goto(world.workbenchUrl!);
    await page.getByText('connected to the emulator').waitFor();
  });
  afterEach(() => deepStrictEqual(errors, []));
  after(async () => {
    await browser.close();
    emulator.stdin!.end();
    for (const made of [folder, dist]) rmSync(made, { recursive: true, force: true });
  });

  it('is light, and keeps its secret out of the address', () => {
    const html = readFileSync(join(dist, 'node/workbench.html'));
    const size = gzipSync(html).length;
    ok(size <= HEAVIEST, `${size} bytes`);
    ok(!page.url().includes(world.controlSecret!));
  });

  it('says how to point a client here, and copies a line with a token that it does not show', async () => {
    await page.getByText('No game has come yet.').waitFor();
    const copy = page.getByRole('button', { name: 'Copy for a shell' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy.click();
    await page.getByText(': copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const { url, identityToken, groupId } = world;
    deepStrictEqual(
      copied,
      `export LOBBY_RX_URL=${url} LOBBY_RX_TOKEN=${identityToken} LOBBY_RX_GROUP=${groupId}`,
    );
    ok(!(await page.content()).includes(world.identityToken!));
  });

  it('copies a program that runs', async () => {
    await press('Copy with token');
    await page.getByText('Copy with token: copied').waitFor();
    const file = join(import.meta.dirname, 'connected.tmp.ts');
    writeFileSync(file, await page.evaluate<string>('navigator.clipboard.readText()'));
    try {
      const program = spawnTs(file, []);
      await program.prints('137\n');
      await press('Send');
      await program.prints('unknown\n');
      program.process.kill();
      await program.exited;
    } finally {
      rmSync(file);
    }
    await page.getByText('gone').first().waitFor();
  });

  it('gives no data without the secret, nor to another host or origin', async () => {
    const url = `${world.controlUrl}/workbench`;
    const statusOf = (path: string, headers: Readonly<Record<string, string>>) =>
      fetch(url + path, { headers }).then(({ status }) => status);
    const authorization = `Bearer ${world.controlSecret}`;
    deepStrictEqual(await statusOf('/world', {}), 401);
    deepStrictEqual(await statusOf('/saved', { authorization: 'Bearer x' }), 401);
    deepStrictEqual(await statusOf('/world', { authorization, origin: 'http://evil.example' }), 403);
    deepStrictEqual(await statusOf('', { origin: 'http://evil.example' }), 403);
    deepStrictEqual(await statusOf('/saved', { authorization }), 200);
    const { headers } = await fetch(url);
    match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
  });

  it('has a demo player', async () => {
    await press('Start the demo player');
    await page.getByText('Demo player: live').waitFor();
    await page.getByText('live, waits').waitFor();
    await press('Send');
    await page.getByText('Demo player: live, got chat message').waitFor();
    await press('Stop the demo player');
    await page.getByText(/gone, \d+ s ago/).waitFor();
  });

  it('plays a round: what was done, who got it, what was lost, and why', async () => {
    const joins: string[] = [];
    const players = createClient({ url: world.url!, token: world.identityToken! });
    await page.getByLabel('Name of the new member').fill('Grace');
    await press('Someone joins');
    await waitUntil(async () => (await result()).includes('Grace has joined'));
    const token = /^token: (\S+)$/m.exec(await result())![1]!;
    const follow = (client: typeof players, name: string) =>
      client.events.feed.all$.subscribe({
        next: ({ kind }) => joins.push(`${name} ${kind}`),
        error: () => joins.push('error'),
      });
    const following = [follow(players, 'first'), follow(players.as(token), 'Grace')];
    await page.getByText('Grace: live events').waitFor();
    await waitUntil(async () => (await count('lobby-marbles .poll.open')) === 2);

    await apart();
    // Grace gets her lobby join.
    await page.getByLabel('To whom').selectOption({ label: 'Grace' });
    await press('Lobby join');
    await waitUntil(() => joins.includes('Grace matchmaker_lobby_join'));
    await page.getByText('What happened to Grace').waitFor();
    await page.locator('li.child', { hasText: 'Grace got lobby join' }).waitFor();
    match(await page.locator('li.child').first().innerText(), /delivered after \d+ ms/);
    await page.getByText(/1 reserved \(next expires in \d+ s\)|2 reserved/).waitFor({ state: 'attached' });

    await apart();
    // The first player's is lost: of two events that come together, the service has kept the last.
    await page.getByLabel('To whom').selectOption({ index: 0 });
    await press('Lobby join, lost');
    await waitUntil(() => joins.filter(kind => kind === 'first unknown').length === 2);
    deepStrictEqual(joins.includes('first matchmaker_lobby_join'), false);
    await page.locator('li.you', { hasText: 'lost: the fault last_event_only' }).waitFor();
    await apart();
    if (SCREENSHOTS) {
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(SCREENSHOTS, 'workbench.png') });
    }

    // A row opens its answer, and stays where it is while others come.
    const got = page.locator('.what', { hasText: 'got chat message: “After the lobby join' });
    await got.click();
    await page.locator('li pre', { hasText: '"chat_message": {' }).waitFor();
    const place = () => got.evaluate(element => element.getBoundingClientRect().top + scrollY);
    const before = await place();
    await press('Send');
    await page.getByRole('button', { name: /Continue \([1-9]\d* new\)/ }).waitFor();
    deepStrictEqual(await place(), before);
    await got.focus();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    deepStrictEqual(await got.evaluate(element => element === document.activeElement), true);
    await page.getByRole('button', { name: /Continue/ }).click();
    await page.locator('lobby-marbles .marble').first().click({ force: true });
    await page.locator('.what[aria-expanded="true"]').waitFor();
    await page.getByRole('button', { name: /Continue/ }).click();

    await page.getByRole('button', { name: 'Again: message "Are you there?"' }).first().click();
    await waitUntil(() => joins.filter(kind => kind === 'first unknown').length === 4);
    await press('Copy as test');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    match(copied, /control\.type\("message \\"Are you there\?\\""\)/);

    // What people see break meets a poll that is held.
    await press('Proxy answers 502');
    await page.getByText('a player tries again twice').waitFor();
    await page
      .getByText(/tr(y|ies) again: a proxy answered 502/)
      .first()
      .waitFor();
    await waitUntil(async () => (await count('.card .ok')) === 2);
    await page.getByLabel('Type a command').fill('fault rate_limited always');
    await page.keyboard.press('Enter');
    await page.getByText('Planned: rate_limited × ∞').waitFor();
    await press('No more faults');
    await page.getByText('No fault is planned.').waitFor();

    await press('Expire token');
    await press('Poll is cut');
    await waitUntil(() => joins.includes('error'));
    await page.locator('.verdict', { hasText: 'its token was refused' }).waitFor();
    await page.getByLabel('Filter').fill('401');
    await waitUntil(async () => (await count('.rows li')) === 1);
    await page.getByLabel('Filter').fill('');
    await press('Make a new token');
    await waitUntil(async () => (await result()).includes('token: '));
    await page.getByLabel('Show').selectOption('each');
    await page
      .locator('.what', { hasText: /held for .*, nothing new|held for .*, answered/ })
      .first()
      .waitFor();
    await page.getByLabel('Show').selectOption('');

    // Reservations end two minutes later.
    await press('Clock + 1 min');
    await waitUntil(async () => (await result()).includes('60000 ms'));
    await press('Clock + 1 min');
    await page.getByText(/in · [1-9] expired/).waitFor({ state: 'attached' });
    for (const one of following) one.unsubscribe();
  });

  it('walks through the rows by j and k, but not by Ctrl+K', async () => {
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    deepStrictEqual(await page.getByRole('button', { name: /^Continue/ }).count(), 0);
    await page.keyboard.press('j');
    await page.locator('.rows li:first-child .what:focus').waitFor();
    await page.keyboard.press('j');
    await page.locator('.rows li:nth-child(2) .what:focus').waitFor();
    await page.keyboard.press('k');
    await page.locator('.rows li:first-child .what:focus').waitFor();
    await page.getByRole('button', { name: /^Continue/ }).click();
  });

  it('saves the world with which emulate --world begins', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), press('Save the world')]);
    const file = join(folder, 'world.json');
    await download.saveAs(file);
    const other = spawn(process.execPath, [
      ...[join(dist, 'node/lobby-rx.js'), 'emulate', '--world', file, '--json', '--exit-with-stdin'],
    ]);
    const [line] = (await once(createInterface({ input: other.stdout }), 'line')) as [string];
    deepStrictEqual((JSON.parse(line) as typeof world).identityToken, world.identityToken);
    other.stdin.end();
    await once(other, 'exit');
  });

  it('says what to open without the secret, and that another one is wrong', async () => {
    const other = await browser.newPage();
    await other.goto(`${world.controlUrl}/workbench#a%20b`);
    await other.getByText('Open the URL that').waitFor();
    await other.goto(`${world.controlUrl}/workbench#a-guess`);
    await other.getByText('The secret is another one').waitFor();
    await other.goto('about:blank');
    await other.goto(world.workbenchUrl!);
    await other.getByText('connected to the emulator').waitFor();
    await other.close();
  });

  it('is accessible in light and dark, by keyboard, and on a phone', async () => {
    await page.evaluate(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      deepStrictEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
    }
    await page.getByLabel('Text of the message').focus();
    await page.keyboard.press('Enter');
    await waitUntil(async () => (await result()).includes('the message is sent'));
    await page.setViewportSize({ width: 360, height: 740 });
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'workbench-phone.png') });
    for (const part of ['Players', 'What happened', 'Do']) {
      await press(part);
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      ok(beyond <= 0, `${part}: ${beyond} px too wide`);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      deepStrictEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
    }
  });
});
