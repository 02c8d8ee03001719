import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { CALLBACKS, CLIENTS, OURS } from './callback-table.js';
import { callbacksOfApi } from './callbacks.js';
import { UNBEGUN, WRAPPED } from './returned.js';

describe('what a callback returns', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  before(() => process.on('unhandledRejection', note));
  after(() => process.off('unhandledRejection', note));
  const later = () => new Promise<void>(resolve => setImmediate(resolve));
  const down = () => later().then(() => Promise.reject(new Error('disk full')));

  it('is known of every callback of the package', () => {
    const theirs = callbacksOfApi().filter(name => !OURS.some(pattern => pattern.test(name)));
    deepStrictEqual(theirs, Object.keys(CALLBACKS).sort());
  });

  for (const [callback, { kind, name = callback, value, mayBeArray, run }] of Object.entries({
    ...CALLBACKS,
    ...CLIENTS,
  })) {
    if (!run) continue;
    const refused = async (what: string, returned: () => unknown) => {
      const { isOn, words } = await run(returned);
      ok(!isOn && words.length > 0, `${callback} went on, or said nothing, with ${what}`);
      ok(words.join().includes(name), words.join());
    };

    if (kind === 'waits') {
      it(`is waited for by ${callback}, or refused`, async () => {
        for (const [what, wrap] of Object.entries(WRAPPED)) {
          let isDone = false;
          const work = async () => {
            await later();
            isDone = true;
          };
          const { isOn, words } = await run(() => wrap(work));
          ok(isOn && isDone, `${what}: ${words.join()}`);
          const failed = await run(() => wrap(down));
          ok(!failed.isOn && failed.words.length > 0, `${callback} went on after the failure of ${what}`);
        }
        for (const [what, wrap] of Object.entries(UNBEGUN)) await refused(what, () => wrap(later));
        for (const data of [undefined, 7, 'text', {}, new Map([[1, later]])])
          ok((await run(() => data)).isOn);
      });
    } else if (kind === 'request') {
      it(`is an answer to ${callback} only if it has been waited for`, async () => {
        for (const [what, wrap] of Object.entries(WRAPPED)) {
          if (/^a\w* (frozen )?array/.test(what)) continue;
          let isDone = false;
          const work = async () => {
            await later();
            isDone = true;
          };
          const { isOn, words } = await run(() => wrap(work));
          ok(isOn && isDone, `${what}: ${words.join()}`);
          ok(!(await run(() => wrap(down))).isOn, what);
        }
        for (const [what, wrap] of Object.entries(UNBEGUN)) await refused(what, () => wrap(later));
        const response = new Response('', { status: 401 });
        for (const data of [undefined, true, 'ok', {}, [], [later()], response])
          await refused(typeof data, () => data);
        ok(!(await run(() => Promise.resolve(response))).isOn);
      });
    } else if (kind === 'value') {
      it(`is the value of ${callback}, or refused`, async () => {
        for (const [what, wrap] of Object.entries(WRAPPED)) {
          if (what.includes('array')) continue;
          const { isOn, words } = await run(() => wrap(() => Promise.resolve(value?.())));
          ok(isOn || words.length > 0, `${callback} said nothing with ${what}`);
          ok((await run(() => wrap(down))).words.length > 0, what);
        }
        ok((await run(() => Promise.resolve(value?.()))).isOn);
        await refused('a promise of a function', () => Promise.resolve(later));
        const { words } = await run(() => later);
        ok(words.length > 0);
      });
    } else if (kind === 'stream') {
      it(`is refused by ${callback} if it is no stream`, async () => {
        for (const [what, wrap] of Object.entries({ ...WRAPPED, ...UNBEGUN })) {
          if (!what.startsWith('an Observable')) await refused(what, () => wrap(down));
        }
      });
    } else if (kind === 'at once') {
      it(`is refused by ${callback} if it has to be waited for`, async () => {
        for (const [what, wrap] of Object.entries({ ...WRAPPED, ...UNBEGUN })) {
          if (mayBeArray && /^a\w* (frozen )?array/.test(what)) continue;
          await refused(what, () => wrap(later));
          await refused(what, () => wrap(down));
        }
      });
    } else {
      it(`is begun by ${callback}, and its errors are swallowed`, async () => {
        for (const [what, wrap] of Object.entries(WRAPPED)) {
          let isDone = false;
          await run(() =>
            wrap(async () => {
              await later();
              isDone = true;
            }),
          );
          for (let turn = 0; turn < 5; turn++) await later();
          ok(isDone, `${callback} dropped ${what}`);
          strictEqual((await run(() => wrap(down))).isOn, true);
        }
      });
    }
  }

  it('leaves no rejection unhandled', async () => {
    for (let turn = 0; turn < 5; turn++) await later();
    deepStrictEqual(unhandled, []);
  });
});
