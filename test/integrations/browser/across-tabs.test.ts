import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { asyncProperty, assert as check, array, constantFrom, nat, record } from 'fast-check';
import { NEVER } from 'rxjs';
import { isInputError, isStatusError, StatusError } from 'lobby-rx';
import { acrossTabs } from 'lobby-rx/browser';
import { cloneable, revived } from '../../../src/integrations/browser/tab-message.js';
import { runs } from '../../runs.js';
import { virtualBrowser, type VirtualTab } from './virtual-browser.js';

describe('acrossTabs', () => {
  const leaders = (tabs: readonly VirtualTab[]) => tabs.filter(tab => tab.isLeading).length;

  it('has one poll, whose events come to all tabs, in order', async () => {
    const { addTab, publish, polls, pass } = virtualBrowser();
    const tabs = Array.from({ length: 8 }, () => addTab());
    await pass(1_000);
    deepStrictEqual([polls(), leaders(tabs)], [1, 1]);
    for (const name of ['a', 'b', 'c']) {
      publish(name);
      await pass(200);
    }
    for (const { seen } of tabs) deepStrictEqual(seen, ['a', 'b', 'c']);
    strictEqual(polls(), 1);
  });

  it('is continued by another tab when the leader is closed, and loses and doubles nothing', async () => {
    const { addTab, publish, polls, pass } = virtualBrowser();
    const tabs = Array.from({ length: 3 }, () => addTab());
    await pass(1_000);
    publish('a');
    await pass(200);
    tabs.find(tab => tab.isLeading)!.close();
    publish('b');
    await pass(300);
    publish('c');
    await pass(300);
    const open = tabs.filter(tab => tab.isOpen());
    for (const { seen } of open) deepStrictEqual(seen, ['a', 'b', 'c']);
    deepStrictEqual([polls(), leaders(tabs)], [1, 1]);
  });

  it('waits for what the last leader has said before it polls on', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const [first, second, third] = [addTab(), addTab(), addTab()];
    await pass(1_000);
    first.onEvent = () => {
      first.close();
      publish('b');
    };
    publish('a');
    await pass(1_000);
    deepStrictEqual([first.seen, second.seen, third.seen], [['a'], ['a', 'b'], ['a', 'b']]);
  });

  it('is led by the tab that has the lock, whatever another one says', async () => {
    const { addTab, publish, say, pass } = virtualBrowser();
    const tabs = [addTab(), addTab()];
    await pass(1_000);
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      say({ kind: 'beat', epoch: 2 ** 50 + 10 * i, index: undefined });
      publish(name);
      await pass(1_000);
    }
    for (const { seen } of tabs) deepStrictEqual(seen, ['a', 'b', 'c']);
  });

  it('gets a greater number than any leader before, although the clock was ahead then', async () => {
    const { addTab, publish, say, pass } = virtualBrowser();
    const [first, second] = [addTab(), addTab()];
    await pass(1_000);
    say({ kind: 'beat', epoch: 2 ** 50, index: undefined });
    // It has heard nothing of that, nor of where the others are.
    const third = addTab();
    first.close();
    second.close();
    await pass(1_000);
    second.open();
    await pass(1_000);
    publish('a');
    await pass(1_000);
    deepStrictEqual([second.seen, third.seen], [['gap: unwatched', 'a'], ['a']]);
  });

  it('tells all tabs why the leader cannot poll', async () => {
    const { addTab, fault, pass } = virtualBrowser();
    const tabs = [addTab(), addTab()];
    await pass(1_000);
    fault({ kind: 'error', status: 503 }, { times: 2 });
    await pass(60_000);
    for (const { errors, states } of tabs) {
      const [error] = errors;
      ok(
        error instanceof Error &&
          isStatusError(error) &&
          error.status === 503 &&
          error.message.includes('503'),
      );
      deepStrictEqual(states.slice(-2), ['retrying', 'live']);
    }
  });

  it('tells the others what a foreign error says, and nothing else that it has', () => {
    const status = {
      since: 1,
      lastAnswer: 1,
      attempt: 1,
      nextTry: 2,
      hint: undefined,
      state: 'retrying',
    } as const;
    const circular = Object.assign(new Error('circular'), { self: {}, headers: 'Bearer s3cret', big: 1n });
    circular.self = circular;
    for (const [error, message] of [
      [circular, 'circular'],
      [{ message: 'no error', act: () => 1 }, 'no error'],
      ['text', 'text'],
      [Object.create(null), 'object'],
    ] as const) {
      const told = structuredClone(cloneable({ ...status, error }));
      ok(!JSON.stringify(told).includes('s3cret'));
      const { error: heard } = revived(told);
      deepStrictEqual([heard instanceof Error, (heard as Error).message], [true, message]);
    }
    const { error: own } = revived(
      structuredClone(
        cloneable({
          ...status,
          error: new StatusError(404, { method: 'GET', url: 'https://a.example' }, { code: 'A' }),
        }),
      ),
    );
    ok(isStatusError(own) && own.status === 404 && own.code === 'A');
  });

  it('is led by another tab when one may not go on, which says nothing of the others', async () => {
    const { addTab, publish, fault, pass } = virtualBrowser();
    const tabs = [addTab(), addTab()];
    await pass(1_000);
    fault({ kind: 'unauthorized' });
    publish('a');
    await pass(2_000);
    publish('b');
    await pass(2_000);
    const ended = tabs.filter(tab => tab.states.includes('closed'));
    const others = tabs.filter(tab => !tab.states.includes('closed'));
    deepStrictEqual([ended.length, others.length], [1, 1]);
    strictEqual(ended[0]!.states.at(-1), 'closed');
    deepStrictEqual(others[0]!.seen, ['a', 'b']);
  });

  it('goes on from where the others are in a tab that is opened while the leader hangs', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const [first, second] = [addTab(), addTab()];
    await pass(1_000);
    publish('x');
    await pass(200);
    first.hangs = true;
    second.isVisible = false;
    const third = addTab();
    await pass(200);
    publish('y');
    await pass(6_000);
    first.hangs = false;
    await pass(200);
    publish('z');
    await pass(1_000);
    deepStrictEqual(
      [first.seen, second.seen],
      [
        ['x', 'y', 'z'],
        ['x', 'y', 'z'],
      ],
    );
    deepStrictEqual(third.seen, ['y', 'z']);
  });

  it('tells a tab that hung what it has missed as soon as it goes on', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const [first, second] = [addTab(), addTab()];
    await pass(1_000);
    first.hangs = true;
    publish('a');
    await pass(6_000);
    deepStrictEqual(second.seen, ['a']);
    first.hangs = false;
    await pass(200);
    deepStrictEqual(first.seen, ['a']);
  });

  it('is taken over by a visible tab when the leader says nothing for three heartbeats', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const [first, second, third] = [addTab(), addTab(), addTab()];
    await pass(1_000);
    publish('a');
    await pass(200);
    first.hangs = true;
    second.isVisible = false;
    await pass(2_000);
    publish('b');
    await pass(400);
    deepStrictEqual([second.seen, third.seen], [['a'], ['a']]);
    await pass(2_000);
    deepStrictEqual(
      [second.seen, third.seen],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
    ok(third.isLeading);
    // It has been told by the browser that it is no leader any more, and follows.
    first.hangs = false;
    await pass(1_000);
    publish('c');
    await pass(1_000);
    for (const { seen } of [first, second, third]) deepStrictEqual(seen, ['a', 'b', 'c']);
    deepStrictEqual([first.isLeading, second.isLeading, third.isLeading], [false, false, true]);
  });

  it('is not taken over as long as all other tabs are hidden', async () => {
    const { addTab, pass } = virtualBrowser();
    const [first, second] = [addTab(), addTab()];
    await pass(1_000);
    first.hangs = true;
    second.isVisible = false;
    await pass(10_000);
    deepStrictEqual([first.isLeading, second.isLeading], [true, false]);
    second.isVisible = true;
    await pass(3_100);
    ok(second.isLeading);
  });

  it('tells a tab that comes back what it has missed, or that nobody knows it any more', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const [, second] = [addTab(), addTab()];
    await pass(1_000);
    publish('a');
    await pass(200);
    second.close();
    for (const name of ['b', 'c']) {
      publish(name);
      await pass(200);
    }
    deepStrictEqual(second.seen, ['a']);
    second.open();
    await pass(100);
    deepStrictEqual(second.seen, ['a', 'b', 'c']);

    second.close();
    for (let n = 0; n < 60; n++) {
      publish('x');
      await pass(700);
    }
    second.open();
    await pass(100);
    publish('d');
    await pass(200);
    deepStrictEqual(second.seen, ['a', 'b', 'c', 'gap: unwatched', 'd']);
  });

  it('tells a tab that comes late the status, and nothing that was before', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    addTab();
    await pass(1_000);
    publish('a');
    await pass(200);
    const late = addTab();
    await pass(100);
    publish('b');
    await pass(200);
    deepStrictEqual(late.seen, ['b']);
    deepStrictEqual(late.states, ['connecting', 'live']);
  });

  it('goes on in a tab that is alone and comes back', async () => {
    const { addTab, publish, polls, pass } = virtualBrowser();
    const tab = addTab();
    await pass(1_000);
    tab.close();
    strictEqual(polls(), 0);
    publish('a');
    await pass(1_000);
    tab.open();
    await pass(500);
    deepStrictEqual([tab.seen, polls()], [['a'], 1]);
  });

  it('polls for itself in a tab where locks are forbidden, and leaves the others alone', async () => {
    const { addTab, publish, polls, pass } = virtualBrowser();
    const [first, second] = [addTab(), addTab()];
    await pass(1_000);
    const forbidden = () => Promise.reject(new Error('forbidden'));
    const third = addTab({ request: forbidden, query: forbidden });
    await pass(1_000);
    publish('a');
    await pass(1_000);
    deepStrictEqual(
      [first, second, third].map(({ seen, isLeading }) => [...seen, isLeading]),
      [
        ['a', true],
        ['a', false],
        ['a', true],
      ],
    );
    strictEqual(polls(), 2);
  });

  it('loses and doubles nothing, whatever happens to the other tabs', async () => {
    const acts = {
      close: (tab: VirtualTab) => tab.close(),
      open: (tab: VirtualTab) => tab.open(),
      hang: (tab: VirtualTab) => {
        tab.hangs = true;
      },
      resume: (tab: VirtualTab) => {
        tab.hangs = false;
      },
      hide: (tab: VirtualTab) => {
        tab.isVisible = false;
      },
      show: (tab: VirtualTab) => {
        tab.isVisible = true;
      },
    };
    const kinds = Object.keys(acts) as (keyof typeof acts)[];
    const step = record({
      act: constantFrom(...kinds),
      tab: nat(2),
      wait: constantFrom(0, 20, 300, 2_000, 4_000),
    });
    const names = new Set<string>();
    await check(
      asyncProperty(array(step, { maxLength: 12 }), async steps => {
        const { addTab, publish, polls, pass } = virtualBrowser();
        const others = [addTab(), addTab(), addTab()];
        const witness = addTab();
        await pass(500);
        const published: string[] = [];
        const say = (name: string) => {
          published.push(name);
          publish(name);
        };
        for (const { act, tab, wait } of steps) {
          acts[act](others[tab]!);
          say(`e${published.length}`);
          names.add(act);
          await pass(wait);
        }
        for (const tab of others) {
          tab.hangs = false;
          tab.isVisible = true;
          tab.open();
        }
        await pass(6_000);
        say('end');
        await pass(1_000);
        deepStrictEqual(witness.seen, published);
        deepStrictEqual([polls(), leaders([...others, witness])], [1, 1]);
        for (const { seen } of others) {
          const events = seen.filter(name => !name.startsWith('gap'));
          deepStrictEqual(
            events,
            published.filter(name => events.includes(name)),
          );
          strictEqual(events.at(-1), 'end');
          // Whoever has missed something has been told.
          if (seen.length === events.length) deepStrictEqual(events, published);
        }
      }),
      { numRuns: 100 },
    );
    strictEqual(names.size, kinds.length);
  });
});

describe('a feed that is shared by all tabs', () => {
  it('gets what has come while it was away for longer than it lingers, or a gap', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    const leader = addTab(undefined, true);
    await pass(1_000);
    const follower = addTab(undefined, true);
    await pass(1_000);
    follower.close();
    await pass(2_000);
    publish('e1');
    await pass(500);
    follower.open();
    await pass(2_000);
    deepStrictEqual([leader.seen, follower.seen], [['e1'], ['e1']]);
  });

  it('gets the rest if it left in the middle of what it had missed', async () => {
    const { addTab, publish, pass } = virtualBrowser();
    addTab(undefined, true);
    await pass(1_000);
    const follower = addTab(undefined, true, 0);
    await pass(1_000);
    follower.close();
    for (const name of ['e1', 'e2', 'e3']) {
      publish(name);
      await pass(2_000);
    }
    follower.onEvent = () => follower.close();
    for (const seen of [['e1'], ['e1', 'e2'], ['e1', 'e2', 'e3']]) {
      follower.open();
      await pass(500);
      deepStrictEqual([follower.seen, follower.isOpen()], [seen, false]);
    }
  });

  it('loses nothing without a gap, although tabs leave, return, lead, stand still, or have no network', async () => {
    const acts = {
      leave: (tab: VirtualTab) => tab.close(),
      return: (tab: VirtualTab) => tab.open(),
      hang: (tab: VirtualTab) => {
        tab.hangs = true;
      },
      resume: (tab: VirtualTab) => {
        tab.hangs = false;
      },
    };
    const kinds = [...Object.keys(acts), 'outage', 'service', 'publish'] as const;
    const step = record({
      act: constantFrom(...kinds),
      tab: nat(2),
      wait: constantFrom(0, 20, 300, 1_500, 4_000),
    });
    await check(
      asyncProperty(array(step, { maxLength: 14 }), async steps => {
        const { addTab, fault, publish, pass } = virtualBrowser();
        const tabs: VirtualTab[] = [];
        // The others come when there has been nothing new since the first one.
        for (let i = 0; i < 3; i++) {
          tabs.push(addTab(undefined, true));
          await pass(500);
        }
        const published = new Map<string, readonly number[]>();
        let endOutage: () => void = () => undefined;
        for (const { act, tab, wait } of steps) {
          if (act === 'outage') {
            endOutage();
            endOutage = fault({ kind: 'reset_before_request' }, { times: Infinity });
          } else if (act === 'service') {
            endOutage();
          } else if (act === 'publish') {
            const name = `e${published.size}`;
            published.set(
              name,
              tabs.map(({ seen }) => seen.length),
            );
            publish(name);
          } else {
            acts[act as keyof typeof acts](tabs[tab]!);
          }
          await pass(wait);
        }
        endOutage();
        for (const tab of tabs) {
          tab.hangs = false;
          tab.open();
        }
        await pass(40_000);
        publish('end');
        await pass(3_000);
        for (const [i, { seen }] of tabs.entries()) {
          const names = [...published.keys(), 'end'];
          // Once and in order; after a gap, something may come again.
          for (const part of seen.join().split(/gap: \w+/)) {
            const events = part.split(',').filter(Boolean);
            deepStrictEqual(
              events,
              names.filter(name => events.includes(name)),
            );
          }
          strictEqual(seen.at(-1), 'end');
          // What is missing was published before a gap.
          const lastGap = seen.map(name => name.startsWith('gap')).lastIndexOf(true);
          const lost = [...published].filter(
            ([name, before]) => !seen.includes(name) && lastGap < before[i]!,
          );
          deepStrictEqual(lost, []);
        }
      }),
      { numRuns: runs(2_000) },
    );
  }).timeout(300_000);
});

describe('acrossTabs in a dedicated worker', () => {
  const globals = globalThis as { DedicatedWorkerGlobalScope?: unknown };
  after(() => {
    delete globals.DedicatedWorkerGlobalScope;
  });

  it('is refused, since the worker of each tab would lead', () => {
    globals.DedicatedWorkerGlobalScope = EventTarget;
    let polls = 0;
    let error: unknown;
    const sharing = acrossTabs('events');
    const watch = () => {
      polls++;
      return NEVER;
    };
    sharing(watch).subscribe({
      error: (thrown: unknown) => {
        error = thrown;
      },
    });
    ok(isInputError(error) && error.message.includes('a dedicated worker'));
    strictEqual(polls, 0);
  });
});
