import { deepStrictEqual, match, ok } from 'node:assert';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { createClient } from 'lobby-rx';
import { startChromium } from '../../integrations/browser/page/stage.js';
import { spawnTs } from '../../spawn-ts.js';
import { waitUntil } from '../../wait-until.js';
import { BUILD_MS, startWorkbench, type StartedWorkbench } from './start-workbench.js';

/** Where to put the pictures of the documentation. Default: nowhere. */
const { SCREENSHOTS } = process.env;
/** The most that the page may weigh, in bytes, compressed. */
const HEAVIEST = 60_000;

describe('lobby-rx emulate --ui, in Chromium', function () {
  this.timeout(60_000);
  let workbench: StartedWorkbench;
  let world: StartedWorkbench['world'];
  let dist: string;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const count = (selector: string) => page.locator(selector).count();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** Does something by the bar. */
  const perform = async (label: string, { text, to }: { text?: string; to?: string } = {}) => {
    await page.getByLabel('Do', { exact: true }).selectOption({ label });
    if (text !== undefined) await page.locator('.action-bar input').fill(text);
    if (to !== undefined) await page.getByLabel('To whom').selectOption({ label: to });
    await press('Do it');
  };
  /** Does something, but not by this page. */
  const type = (line: string) =>
    fetch(`${world.controlUrl}/workbench/type`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.controlSecret}` },
      body: JSON.stringify({ line }),
    });
  const story = (title: string | RegExp) => page.locator('.story', { hasText: title });
  /** In a picture, one thing happens after the other. */
  const apart = () => page.waitForTimeout(SCREENSHOTS ? 2_500 : 0);
  const result = () => page.locator('output').innerText();
  before(async function () {
    this.timeout(BUILD_MS);
    workbench = await startWorkbench();
    world = workbench.world;
    dist = workbench.dist;
    browser = await startChromium();
    page = await browser.newPage({ viewport: { width: 1_280, height: 860 } });
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    await page.goto(world.workbenchUrl!);
    await page.getByText('● connected').waitFor();
  });
  afterEach(() => deepStrictEqual(errors, []));
  after(async () => {
    await browser.close();
    workbench.stop();
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
      await perform('Message');
      await program.prints('unknown\n');
      program.process.kill();
      await program.exited;
    } finally {
      rmSync(file);
    }
    await page.locator('.card .gone').first().waitFor();
  });

  it('gives no data without the secret, nor to another host or origin', async () => {
    const url = `${world.controlUrl}/workbench`;
    const bearer = `/bearer?who_id=${world.identityId}`;
    const statusOf = (path: string, headers: Readonly<Record<string, string>>) =>
      fetch(url + path, { headers }).then(({ status }) => status);
    const authorization = `Bearer ${world.controlSecret}`;
    deepStrictEqual(await statusOf('/world', {}), 401);
    deepStrictEqual(await statusOf(bearer, { authorization: 'Bearer x' }), 401);
    deepStrictEqual(await statusOf('/world', { authorization, origin: 'http://evil.example' }), 403);
    deepStrictEqual(await statusOf('', { origin: 'http://evil.example' }), 403);
    deepStrictEqual(await statusOf(bearer, { authorization }), 200);
    const { headers } = await fetch(url);
    match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
  });

  it('has a demo player', async () => {
    await press('Connect a game');
    await press('Start the demo player');
    await page.getByText('Demo player: live').waitFor();
    await page.getByText('live, waits').waitFor();
    await perform('Message');
    await page.getByText('Demo player: live, got chat message').waitFor();
    await perform('Rate limited');
    await page.getByText(/Demo player: retrying, because \w/).waitFor();
    await page.getByText('Demo player: live, got').waitFor();
    // The browser reports the failed request, too.
    ok(errors.splice(0).length > 0);
    await press('Stop the demo player');
    await page.getByText(/gone, \d+ s ago/).waitFor();
  });

  it('tells stories: what was done, who got it, what was lost, and why', async () => {
    const joins: string[] = [];
    const players = createClient({ url: world.url!, token: world.identityToken! });
    await perform('Someone joins', { text: 'Grace' });
    await waitUntil(async () => (await result()).includes('Grace has joined'));
    const token = /^token: (\S+)$/m.exec(await result())![1]!;
    await press('Close');
    const follow = (client: typeof players, name: string) =>
      client.events.feed.all$.subscribe({
        next: ({ kind }) => joins.push(`${name} ${kind}`),
        error: () => joins.push('error'),
      });
    const following = [follow(players, 'first'), follow(players.as(token), 'Grace')];
    await waitUntil(async () => (await count('.card .poll.open')) === 2);
    const self = (
      await page.getByLabel('To whom').locator('option', { hasText: 'printed' }).allInnerTexts()
    )[0]!;

    await apart();
    // Grace gets her lobby join, and says so by her next poll.
    await perform('Lobby join', { to: 'Grace' });
    await waitUntil(() => joins.includes('Grace matchmaker_lobby_join'));
    const sent = story('You: Lobby join for Grace');
    await sent.getByText(/delivered after [\d.]+ m?s/).waitFor();
    await sent.getByText(/polled again [\d.]+ m?s later: it has it/).waitFor();
    // The page is about her: the inspector has her steps, and the answer without its token.
    await sent.locator('.head .what').click();
    await page.locator('.inspector pre', { hasText: '"matchmaker_lobby_join": {' }).waitFor();
    await page.locator('.inspector', { hasText: 'control.type("lobby who=' }).waitFor();
    await page.getByText(/1 reserved \(next expires in \d+ s\)|2 reserved/).waitFor({ state: 'attached' });
    await press('Grace');

    await apart();
    // The first player's is lost: of two events that come together, the service has kept the last.
    await perform('Lobby join, lost', { to: self });
    await waitUntil(() => joins.filter(kind => kind === 'first unknown').length === 2);
    deepStrictEqual(joins.includes('first matchmaker_lobby_join'), false);
    await story(/You: Lobby join for/)
      .filter({ hasText: 'lost: the fault “Only the last event is kept”' })
      .waitFor();

    await apart();
    // What people see break meets polls that are held; the story says that all are back.
    await perform('Proxy answers 502');
    const outage = story('You: Proxy answers 502');
    await outage.getByText(/not over: \d retrying/).waitFor();
    await page.locator('.card .warn').first().waitFor();
    await outage.getByText(/over: all back after [\d.]+ s, nothing lost/).waitFor();
    await outage.getByText('● live again').first().waitFor();
    await outage.locator('.head .what').click();
    await page.getByText('A player of lobby-rx tries again, and is live within six seconds').waitFor();
    await page.locator('.inspector .status.retrying').first().waitFor();
    await waitUntil(async () => (await count('.card .ok')) === 2);
    await apart();
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'workbench.png') });

    // While it is read, what is new waits; it is put in above.
    const place = () => outage.evaluate(element => element.getBoundingClientRect().top);
    await outage.hover();
    const before = await place();
    await type('message "While it is read."');
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
    deepStrictEqual(await place(), before);
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await story('While it is read.').first().waitFor();

    await page.getByRole('button', { name: 'Again: Message “While it is read.”' }).first().click();
    await waitUntil(() => joins.filter(kind => kind === 'first unknown').length === 4);
    await outage.locator('.head .what').click();
    await press('Copy as test');
    await page.getByText('Copy as test: copied').waitFor();
    match(
      await page.evaluate<string>('navigator.clipboard.readText()'),
      /emulator\.fault\(\{ kind: 'html' \}/,
    );

    // Who is chosen is shown inside of stories, and their causes stay.
    await press('Grace');
    await waitUntil(async () => (await outage.locator('.effect').count()) === 1);
    deepStrictEqual(await story('While it is read.').count(), 0);
    await press('Grace');

    await perform('Any command', { text: 'fault rate_limited always' });
    await page.getByText('Planned: the fault “Rate limited” × ∞').waitFor();
    await page.locator('.who').getByRole('button', { name: 'No more faults' }).last().click();
    await page.getByText('Planned:').waitFor({ state: 'detached' });

    await perform('Expire token', { to: self });
    await perform('Poll is cut');
    await waitUntil(() => joins.includes('error'));
    await page.locator('.card', { hasText: 'its token was refused' }).waitFor();
    await page.getByRole('button', { name: /^■ 1 stopped: / }).click();
    await waitUntil(async () => (await count('.card')) === 1);
    await page.getByRole('button', { name: /^■ 1 stopped: / }).click();
    // The expiry, and the cut, which was over when the service refused the token.
    await page.getByLabel('Filter').fill('token was refused');
    await waitUntil(async () => (await count('.stories > li')) === 2);
    await page.getByLabel('Filter').fill('');
    await press('Make a new token');
    await waitUntil(async () => (await result()).includes('token: '));
    await page.getByRole('button', { name: 'Make a new token' }).waitFor({ state: 'detached' });
    await press('Close');
    await press('Every request');
    await page
      .locator('.what', { hasText: /nothing new after|\d events? after/ })
      .first()
      .waitFor();
    await press('Every request');

    // Reservations end two minutes later.
    await perform('Clock + 1 min');
    await waitUntil(async () => (await result()).includes('60000 ms'));
    await perform('Clock + 1 min');
    await page.getByText(/in · [1-9] expired/).waitFor({ state: 'attached' });
    for (const one of following) one.unsubscribe();
  });

  it('connects a game with a token that is valid, although the last one has expired', async () => {
    await perform('Someone joins', { text: 'Ivy' });
    await waitUntil(async () => (await result()).includes('Ivy has joined'));
    const token = /^token: (\S+)$/m.exec(await result())![1]!;
    await press('Close');
    await perform('Expire token', { to: 'Ivy' });
    await press('Connect a game');
    await page.getByText('The token is that of Ivy').waitFor();
    await press('Copy the token');
    await page.getByText('Copy the token: copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    deepStrictEqual([copied.split('.')[0], copied === token], ['identity', false]);
    const { status } = await fetch(`${world.url}/identity/events/live`, {
      headers: { authorization: `Bearer ${copied}` },
    });
    deepStrictEqual(status, 200);
    const self = page.getByLabel('To whom').locator('option', { hasText: 'printed' });
    await page.getByLabel('To whom').selectOption(await self.first().getAttribute('value'));
    await press('Story');
  });

  it('tells two clients of one player apart, of which one has ended', async () => {
    const card = page.locator('.card', { hasText: 'Hedy' });
    const clients = [1, 2].map(() => createClient({ url: world.url!, token: world.identityToken! }));
    await perform('Someone joins', { text: 'Hedy' });
    await waitUntil(async () => (await result()).includes('Hedy has joined'));
    const token = /^token: (\S+)$/m.exec(await result())![1]!;
    await press('Close');
    const [first, second] = clients.map(client => client.as(token).events.feed.all$.subscribe());
    await card.getByText('2 clients').waitFor();
    await waitUntil(async () => (await card.locator('div.ok').count()) === 2);
    first!.unsubscribe();
    await card.locator('div.gone').waitFor();
    await card.locator('div.ok').waitFor();
    second!.unsubscribe();
  });

  it('walks through the stories by j and k, but not by Ctrl+K', async () => {
    await page.keyboard.press('Control+k');
    await page.locator('.action-bar input[aria-label="Command"]:focus').waitFor();
    await page.locator('h1').click();
    const focused = (n: number) => page.locator(`.stories > li:nth-child(${n}) .what:focus`).waitFor();
    await page.keyboard.press('j');
    await focused(1);
    await type('message "Between two keys."');
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.keyboard.press('j');
    await focused(2);
    await page.keyboard.press('k');
    await focused(1);
    deepStrictEqual(await story('Between two keys.').count(), 0);
    await page.locator('h1').click();
    await story('Between two keys.').waitFor();
    await page.getByLabel('Do', { exact: true }).selectOption({ label: 'Message' });
  });

  it('says what to open without the secret, and that another one is wrong', async () => {
    const other = await browser.newPage();
    await other.goto(`${world.controlUrl}/workbench#a%20b`);
    await other.getByText('Open the URL that').waitFor();
    await other.goto(`${world.controlUrl}/workbench#a-guess`);
    await other.getByText('The secret is another one').waitFor();
    await other.goto('about:blank');
    await other.goto(world.workbenchUrl!);
    await other.getByText('● connected').waitFor();
    await other.close();
  });

  it('has the button of each story in one row with its title, on a desk and on a phone', async () => {
    await perform('Message', { text: 'A long message, whose words need more than a line. '.repeat(4) });
    await story('A long message').first().waitFor();
    for (const width of [1_280, 1_000, 390]) {
      await page.setViewportSize({ width, height: 860 });
      const rows = await page.locator('.story .head:has(.again)').evaluateAll(heads =>
        heads.map(head => {
          const { top } = head.querySelector('.what')!.getBoundingClientRect();
          return head.querySelector('.again')!.getBoundingClientRect().top - top;
        }),
      );
      ok(rows.length > 3, `${rows.length} stories`);
      ok(Math.max(...rows) < 20, `${width} px: ${rows.join()}`);
    }
    await page.setViewportSize({ width: 1_280, height: 860 });
  });

  it('lets what is new wait on a phone, too, while the list is scrolled', async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const phone = await context.newPage();
    await phone.goto(world.workbenchUrl!);
    await phone.locator('.story').nth(4).waitFor();
    const post = (text: string) => type(`message "${text}"`);
    const read = phone.locator('.story').nth(4);
    await read.evaluate(element => element.scrollIntoView());
    const isNew = phone.getByRole('button', { name: /^\d+ new$/ });
    await isNew.waitFor({ state: 'detached' });
    const topOf = () => read.evaluate(element => element.getBoundingClientRect().top);
    const before = await topOf();
    await post('While the list is scrolled.');
    await isNew.waitFor();
    deepStrictEqual(await topOf(), before);
    // The button is in view, and leads to what is new.
    const button = (await isNew.boundingBox())!;
    ok(button.y >= 0 && button.y < 100, `the button is at ${button.y} px`);
    await isNew.tap();
    const newest = phone.locator('.story', { hasText: 'While the list is scrolled.' });
    await waitUntil(async () => ((await newest.boundingBox())?.y ?? -1) >= 0);
    await isNew.waitFor({ state: 'detached' });
    // At the top of the page nothing waits.
    await phone.evaluate(() => scrollTo(0, 0));
    await post('At the top.');
    await phone.locator('.story', { hasText: 'At the top.' }).waitFor();
    // Nor after a tap, which leaves the focus in the list.
    await phone.getByRole('button', { name: 'Again: Message “At the top.”' }).tap();
    await phone.locator('.stories :focus').waitFor();
    await post('After a tap.');
    await phone.locator('.story', { hasText: 'After a tap.' }).waitFor();
    await context.close();
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
    await page.getByLabel('Text', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await waitUntil(async () => (await result()).includes('the message is sent'));
    await page.setViewportSize({ width: 390, height: 844 });
    const fits = async (what: string) => {
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      ok(beyond <= 0, `${what}: ${beyond} px too wide`);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      deepStrictEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
    };
    await page.locator('.inspector').getByRole('button', { name: 'Close' }).click();
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.evaluate(() => scrollTo(0, 0));
    // Nothing is over the stories, and none waits because the mouse is on them.
    await page.locator('aside').getByRole('button', { name: 'Close' }).click();
    await page.mouse.move(0, 0);
    await page.locator('.bar .primary').waitFor({ state: 'detached' });
    const { y, height } = (await page.locator('.stories > li').first().boundingBox())!;
    ok(y + height < 740, `the first story ends at ${y + height} px`);
    await fits('stories');
    // Whom a count is of is shown in view.
    await page.getByRole('button', { name: /^○ \d+ gone$/ }).click();
    const card = (await page.locator('.card').first().boundingBox())!;
    ok(card.y + card.height < 740, `the first of the gone ends at ${card.y + card.height} px`);
    await page.getByRole('button', { name: /^○ \d+ gone$/ }).click();
    await story('You: Proxy answers 502').locator('.head .what').click();
    await page.locator('.inspector.open table').waitFor();
    await fits('the sheet');
    await page.locator('.inspector').getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Copy with token').waitFor();
    await fits('how to connect');
    await page.locator('.inspector').getByRole('button', { name: 'Close' }).click();
    await page.locator('.inspector.open').waitFor({ state: 'detached' });
  });
});
