import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { startBoard, type Board } from '../../../../examples/angular/board.js';
import { waitUntil } from '../../../wait-until.js';
import { startChromium } from '../page/stage.js';
import { BoardPage } from './board-page.js';

const BOARD = join(import.meta.dirname, '../../../../examples/angular');
/** Where to put pictures of the board. Default: nowhere. */
const { SCREENSHOTS } = process.env;

const run = async (...args: string[]) => {
  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: BOARD });
  return stdout + stderr;
};
/** Whether what is installed is what the lock file says. */
function isInstalled(): boolean {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(name =>
    join(BOARD, name),
  );
  return existsSync(installed!) && statSync(installed!).mtimeMs >= statSync(lock!).mtimeMs;
}
/** The least of three. A machine may be busy for a moment. */
async function least(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}
/** How much of a page is beside what one sees of it. */
const widthBeyond = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('the lobby board, an Angular application, in Chromium', function () {
  this.timeout(90_000);
  let browser: Browser;
  before(async function () {
    this.timeout(300_000);
    browser = await startChromium();
    // Not `npm ci`: it refuses a lock file without the builds of its packages for all platforms.
    if (!isInstalled()) await run('install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline');
    await run('run', 'lobby-rx');
  });
  after(() => browser.close());

  for (const variant of ['zoneless', 'zone'] as const) {
    describe(`built ${variant === 'zone' ? 'with' : 'without'} zone.js`, () => {
      let board: Board;
      const printed: string[] = [];
      const polls = () => board.emulator.requests.filter(({ pending }) => pending).length;
      const signIn = (name: 'Ada' | 'Grace', options = {}) => BoardPage.signIn(browser, board, name, options);
      const notify = (title: string) =>
        board.emulator.publish(
          board.world.identityId,
          { chat_message: {} },
          { title, description: 'Are you coming?', thumbnail_url: '', url: 'https://hub.example/1' },
        );
      const publish = (name: string) => board.emulator.publish(board.world.identityId, { [name]: 1 });

      before(async function () {
        this.timeout(120_000);
        const output = await run('exec', '--', 'ng', 'build', '--configuration', variant);
        ok(!/warning/i.test(output), output);
      });
      beforeEach(async () => {
        board = await startBoard({ variant, print: line => printed.push(line) });
      });
      afterEach(async () => {
        for (const context of browser.contexts()) await context.close();
        await board.close();
        deepStrictEqual(
          printed.splice(0).filter(line => /error|warn/i.test(line)),
          [],
        );
      });

      it('is rendered on the server within a second, with the members, and leaves no poll there', async () => {
        const { page } = await signIn('Ada');
        const cookies = await page.context().cookies();
        const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
        await page.context().close();
        await waitUntil(() => polls() === 0);
        let html = '';
        const time = await least(async () => {
          const start = performance.now();
          html = await (await fetch(board.url, { headers: { cookie } })).text();
          return performance.now() - start;
        });
        ok(time < 1_000, `${time} ms`);
        deepStrictEqual(
          [html.includes('of 138 online'), html.includes('Ada Lovelace'), html.includes('Loading')],
          [true, true, false],
        );
        strictEqual(polls(), 0);
      });

      it('answers without members, but soon, while the service is dead', async () => {
        const { page } = await signIn('Ada');
        await board.stopService();
        const start = performance.now();
        await page.reload({ waitUntil: 'commit' });
        ok(performance.now() - start < 4_000, `${performance.now() - start} ms`);
        await page.getByText('cannot be shown').waitFor();
        await board.restartService();
        await page.getByText('of 138 online').waitFor();
      });

      it('is taken over by the browser without a flicker, and stable although it watches', async () => {
        const ada = await signIn('Ada');
        const stable = await least(async () => {
          await ada.page.reload();
          return (await ada.performance()).stable;
        });
        ok(stable < 100, `stable after ${stable} ms`);
        deepStrictEqual([await ada.flickers(), ada.faults], [[], []]);
      });

      it('renders nothing while nothing happens', async () => {
        const ada = await signIn('Ada');
        await ada.performance();
        await pause(3_000);
        const { renders } = await ada.performance();
        await pause(6_000);
        strictEqual((await ada.performance()).renders - renders, 0);
        publish('something');
        await waitUntil(async () => (await ada.eventCount()) === 1);
        ok((await ada.performance()).renders > renders);
      });

      it('has only the members in view in the page, finds each, and shows them as they come and go', async () => {
        const { page } = await signIn('Ada');
        const people = page.locator('board-members li:not(.heading)');
        await page.locator('board-members li[aria-setsize="138"]').first().waitFor();
        const list = page.getByRole('region', { name: 'Members of the group' });
        await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
        await page.locator('board-members li[aria-posinset="138"]').waitFor();
        ok((await people.count()) < 60, `${await people.count()}`);
        const search = page.getByLabel('Search the members');
        await search.fill('e');
        await page.locator('board-members li[aria-posinset="1"]').waitFor();
        await search.fill('');
        const [friend] = board.world.friendIds as [string];
        board.emulator.updateProfile(friend, { display_name: 'Mary Somerville' });
        board.emulator.updatePresence(friend, { status: 'away' });
        await search.fill('mary som');
        await people.filter({ hasText: 'Mary Somerville' }).filter({ hasText: 'away' }).waitFor();
        await waitUntil(async () => (await people.count()) === 1);
        await search.fill('');
        // Those who are there come first.
        const presences = await page.locator('board-members .presence').allTextContents();
        const rank = { online: 0, away: 1, offline: 2 } as Readonly<Record<string, number>>;
        deepStrictEqual(
          presences,
          presences.slice().sort((one, other) => rank[one]! - rank[other]!),
        );
        await search.fill('nobody has this name');
        await page.getByText('No member has that name.').waitFor();
        await search.fill('');
        board.emulator.leave(board.world.groupId, friend);
        await page.getByText('of 137 online').waitFor();
      });

      it('leads two players on phones to the same lobby, where they move and chat, by touch and by keyboard', async () => {
        const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const;
        const [ada, grace] = [
          await signIn('Ada', phone),
          await signIn('Grace', { ...phone, colorScheme: 'dark' }),
        ];
        await ada.joinLobby();
        await grace.joinLobby();
        await grace.page.getByText('2 playing in').waitFor();
        await grace.page.getByRole('application').focus();
        for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await grace.page.keyboard.press(key);
        const game = ada.page.getByRole('application');
        await waitUntil(async () =>
          ((await game.getAttribute('aria-description')) ?? '').includes('Grace in column 3, row 2'),
        );
        await ada.page.getByRole('button', { name: 'Down' }).tap();
        await waitUntil(async () =>
          ((await game.getAttribute('aria-description')) ?? '').includes('Ada in column 1, row 2'),
        );
        const say = async (text: string) => {
          await grace.page.getByLabel('Say something').fill(text);
          await grace.page.keyboard.press('Enter');
          await ada.page.getByRole('log', { name: 'Chat' }).getByText(text).waitFor();
        };
        await say('Hello Ada');
        if (SCREENSHOTS) await takePictures(board, ada, grace, SCREENSHOTS);
        await say('<b>not bold</b>');
        await grace.page.getByRole('button', { name: 'Leave' }).click();
        await grace.page.locator('.outside button:focus').waitFor();
        await ada.page.getByText('1 playing').waitFor();
        strictEqual(await ada.page.locator('.game .mine').textContent(), 'A');
        deepStrictEqual([ada.faults, grace.faults], [[], []]);
      });

      it('says so while the service is gone, and loses no event', async () => {
        const ada = await signIn('Ada');
        publish('before');
        await waitUntil(async () => (await ada.eventCount()) === 1);
        await board.stopService();
        await ada.says('Reconnecting');
        publish('meanwhile');
        await pause(500);
        await board.restartService();
        await ada.isLive();
        publish('after');
        await waitUntil(async () => (await ada.eventCount()) === 3);
      });

      it('outlives its token, in all tabs, and after a reload', async () => {
        const ada = await signIn('Ada');
        const tabs = [ada, await ada.openTab()];
        const { identityId, identityToken } = board.world;
        board.emulator.expireToken(identityToken);
        await board.stopService();
        await ada.says('Reconnecting');
        await board.restartService();
        publish('after');
        for (const tab of tabs) await waitUntil(async () => (await tab.eventCount()) === 1);
        await ada.page.reload();
        await ada.isLive();
        board.emulator.updatePresence(identityId, { status: 'away' });
        await ada.page.getByLabel('Search the members').fill('Ada');
        await ada.page.locator('board-members li', { hasText: 'Ada' }).filter({ hasText: 'away' }).waitFor();
        await ada.joinLobby();
      });

      it('says that it is offline, and goes on when it is online', async () => {
        const ada = await signIn('Ada');
        await ada.page.context().setOffline(true);
        publish('meanwhile');
        await ada.says('Offline');
        await ada.page.context().setOffline(false);
        await ada.isLive();
        await waitUntil(async () => (await ada.eventCount()) === 1);
      });

      it('has one poll for the feed and one for the members in eight tabs, and one tab plays', async () => {
        const tabs = [await signIn('Ada')];
        for (let i = 1; i < 8; i++) tabs.push(await tabs[0]!.openTab());
        await waitUntil(() => polls() === 2);
        await Promise.all(tabs.map(tab => tab.isLive()));
        publish('something');
        for (const tab of tabs) await waitUntil(async () => (await tab.eventCount()) === 1);
        await tabs[3]!.page.getByRole('button', { name: 'Join a lobby' }).click();
        const inGame = () => Promise.all(tabs.map(tab => tab.page.getByRole('application').count()));
        await waitUntil(async () => (await inGame()).includes(1));
        for (const tab of tabs) await waitUntil(async () => (await tab.eventCount()) === 2);
        strictEqual((await inGame()).filter(count => count === 1).length, 1);
        const late = await tabs[0]!.openTab();
        await late.page.getByText('You are playing in another tab.').waitFor();
        strictEqual(await late.page.getByRole('button', { name: 'Join a lobby' }).count(), 0);
        for (const { faults } of tabs) deepStrictEqual(faults, []);
      });

      it('says what is wrong with a sign-in', async () => {
        const page = await browser.newPage();
        const signInWith = async (token: string, group: string) => {
          await page.goto(board.url);
          await page.getByLabel('Token').fill(token);
          await page.getByLabel('Group').fill(group);
          await page.getByRole('button', { name: 'Sign in' }).click();
        };
        await signInWith('with a space', 'group');
        await page.getByRole('alert').getByText('without spaces').waitFor();
        await signInWith(' garbage ', 'nowhere');
        await page.locator('.pill', { hasText: 'Ended' }).waitFor();
        await page.getByText('The members cannot be shown. Sign out, and in again.').waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('Token').waitFor();
      });

      it('shows a notification until nobody touches it any more', async () => {
        const { page } = await signIn('Ada');
        notify('First');
        const toast = page.locator('.toast', { hasText: 'First' });
        await toast.hover();
        await pause(7_000);
        strictEqual(await toast.count(), 1);
        await page.mouse.move(0, 0);
        await toast.waitFor({ state: 'detached' });
      });

      it('keeps the focus in the notifications when one is dismissed by keyboard', async () => {
        const { page } = await signIn('Ada');
        notify('First');
        notify('Second');
        const dismiss = (title: string) =>
          page.locator('.toast', { hasText: title }).getByRole('button', { name: 'Dismiss' });
        const isFocused = (selector: string) =>
          page.locator(`${selector}:focus`).waitFor({ state: 'attached' });
        await dismiss('Second').waitFor();
        await dismiss('First').focus();
        await page.keyboard.press('Enter');
        await page.locator('.toast', { hasText: 'First' }).waitFor({ state: 'detached' });
        await isFocused('.toast .quiet');
        await page.keyboard.press('Enter');
        await isFocused('.toasts');
        await page.locator('.toast').waitFor({ state: 'detached' });
      });

      it('holds no more memory after ten thousand events', async function () {
        this.timeout(180_000);
        const ada = await signIn('Ada');
        const send = async (events: number) => {
          const before = await ada.eventCount();
          for (let i = 0; i < events; i += 100) {
            for (let n = 0; n < 100; n++) publish('something');
            await waitUntil(async () => (await ada.eventCount()) === before + i + 100);
          }
        };
        await send(1_000);
        const before = await ada.heap();
        await send(10_000);
        const growth = (await ada.heap()) - before;
        ok(growth < 3_000_000, `${growth} bytes`);
      });

      for (const [at, options] of [
        ['at a desk, in light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
        ['on a phone, in dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
      ] as const) {
        it(`has no barrier in any state, ${at}`, async () => {
          const ada = await signIn('Ada', options);
          const { page } = ada;
          const long = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2);
          const reached = async (state: string, ...there: readonly string[]) => {
            for (const text of there) {
              const part = /^(Lobby|Members|Live): /.exec(text)?.[1] as 'Lobby' | undefined;
              if (part) await ada.shows(part, text.slice(part.length + 2));
              else await page.getByText(text).first().waitFor();
            }
            deepStrictEqual([state, await widthBeyond(page), ...(await ada.violations())], [state, 0]);
          };
          await reached('live', 'Live: Nothing yet', 'Members: of 138 online', 'Members: Online');
          await page.getByLabel('Search the members').fill('nobody has this name');
          await reached('nobody found', 'Members: No member has that name.');
          await page.getByLabel('Search the members').fill('');
          notify(`https://hub.example/${long}`);
          board.emulator.updateProfile(board.world.friendIds[0]!, { display_name: long });
          await reached('events and a notification', `Live: ${long}`, 'Are you coming?');
          await ada.joinLobby();
          await reached('in a lobby', 'Lobby: 1 playing in ');
          const contrasts = await ada.fieldContrasts();
          ok(contrasts.length >= 2 && contrasts.every(contrast => contrast >= 3), `${contrasts}`);
          const other = await ada.openTab();
          await other.page.getByText('You are playing in another tab.').waitFor();
          deepStrictEqual(await other.violations(), []);
          await other.page.close();
          await page.getByRole('button', { name: 'Leave' }).click();
          await reached('outside again', 'Join a lobby');
          await page.context().setOffline(true);
          publish('meanwhile');
          await ada.says('Offline');
          await reached('offline');
          await page.context().setOffline(false);
          await ada.isLive();
          await board.stopService();
          await ada.says('Reconnecting');
          await reached('reconnecting', 'Try now');
          await page.reload();
          await reached('without members', 'Members: cannot be shown');
          await board.restartService();
          await ada.isLive();
          await page.getByRole('button', { name: 'Sign out' }).click();
          await reached('signed out', 'Sign in with the token');
          await page.goto(`${board.url}/?incomplete`);
          await reached('incomplete', 'without spaces');
          await page.getByLabel('Token').fill('garbage');
          await page.getByLabel('Group').fill('nowhere');
          await page.getByRole('button', { name: 'Sign in' }).click();
          await ada.says('Ended');
          await reached('ended', 'Members: The members cannot be shown. Sign out, and in again.');
        });
      }
    });
  }
});

/** Takes the pictures of README, of a board on which something happens. */
async function takePictures(board: Board, ada: BoardPage, grace: BoardPage, folder: string): Promise<void> {
  const { emulator, world } = board;
  const states = ['online', 'away', 'online', 'offline', 'online', 'online'];
  states.forEach((status, i) => emulator.updatePresence(world.friendIds[i]!, { status }));
  emulator.publish(
    world.identityId,
    { chat_message: {} },
    { title: 'Hedy Turing', description: 'Are you coming?', thumbnail_url: '', url: 'https://hub.example/1' },
  );
  await ada.page.setViewportSize({ width: 1280, height: 800 });
  await ada.page.locator('.toast').waitFor();
  await pause(500);
  await ada.page.screenshot({ path: join(folder, 'board.png') });
  await grace.page.screenshot({ path: join(folder, 'board-phone.png') });
}
