import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { config, ignoreElements, merge, of, type Observable } from 'rxjs';
import { createClient, isInputError, watch, watchSignals, type WatchConfig } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { virtualTime } from '../virtual-time.js';

describe('an ack that fails', () => {
  const warn = console.warn;
  const warned: unknown[][] = [];
  const unhandled: unknown[] = [];
  beforeEach(() => {
    warned.length = 0;
    unhandled.length = 0;
    console.warn = (...values: unknown[]) => void warned.push(values);
  });
  afterEach(() => {
    console.warn = warn;
    config.onUnhandledError = null;
  });

  /** Polls for a minute, with what fails at each answer. */
  const watched = (
    ack: () => unknown,
    more: Partial<WatchConfig<Answer>> = {},
    start: (config: WatchConfig<Answer>) => Observable<unknown> = config => watch(poll, config),
  ) => {
    const { scheduler, pass } = virtualTime();
    const errors: unknown[] = [];
    const options = { ack: ack as () => undefined, scheduler, ...more };
    const watching = start(options).subscribe({ error: (error: unknown) => errors.push(error) });
    pass(60_000);
    watching.unsubscribe();
    return errors;
  };
  const failing = (error: unknown) => () => {
    throw error;
  };
  const broken = new Error('no such table: checkpoints');

  it('is reported once on the console, although the watch goes on', () => {
    let calls = 0;
    const errors = watched(() => {
      calls++;
      throw broken;
    });
    deepStrictEqual(warned, [['lobby-rx: ack fails:', broken]]);
    deepStrictEqual([errors, calls > 3], [[], true]);
  });

  it('is reported again when its message changes', () => {
    const messages = ['a', 'a', 'b', 'b'];
    watched(() => undefined, {
      ack: () => {
        throw new Error(messages.shift() ?? 'c');
      },
    });
    deepStrictEqual(
      warned.map(([, error]) => (error as Error).message),
      ['a', 'b', 'c'],
    );
  });

  it('is reported to onUnhandledError of RxJS if that is set, whatever it throws', () => {
    config.onUnhandledError = error => {
      unhandled.push(error);
      throw error;
    };
    const errors = watched(failing(broken));
    deepStrictEqual([unhandled, warned, errors], [[broken], [], []]);
  });

  it('is not reported if there is a log', () => {
    watched(failing(new Error('logged')), { log: () => undefined });
    deepStrictEqual(warned, []);
  });

  it('is reported although the signals are watched, and whatever is thrown', () => {
    watched(failing('no object'), {}, config => watchSignals(poll, config).pipe(ignoreElements()));
    deepStrictEqual(warned, [['lobby-rx: ack fails:', 'no object']]);
  });

  it('is not reported for an error of a poll, which is retried as ever', () => {
    const { scheduler, pass } = virtualTime();
    const failingPoll = () => {
      throw new Error('the network');
    };
    watch<Answer>(failingPoll, { scheduler }).subscribe();
    pass(60_000);
    deepStrictEqual(warned, []);
  });

  for (const observed of ['gap$', 'status$', 'signal$'] as const) {
    it(`is reported once by a feed, also if ${observed} is observed besides its events`, () => {
      const { scheduler, pass } = virtualTime();
      const emulator = createEmulator({ scheduler });
      const ada = emulator.addIdentity({ display_name: 'Ada' });
      const { transport, urls } = emulator;
      const client = createClient({ ...urls, transport, scheduler, token: ada.token });
      const feed = client.events.createFeed({ ack: failing(broken) });
      merge(feed[observed]).subscribe();
      const watching = feed.all$.subscribe();
      pass(120_000);
      watching.unsubscribe();
      client.close();
      strictEqual(warned.length, 1);
    });
  }

  it('says that a decision without its `from` is one of ack', () => {
    watched(() => of({ watch: 'resume' }));
    strictEqual(warned.length, 1);
    match(String(warned[0]![1]), /^InputError: from of the decision of ack must be .*; got undefined$/);
  });
});

describe('recovery of a watch', () => {
  for (const [what, decision, words] of [
    ['an unknown kind', { kind: 'again' }, /the kind of recovery must be a known one; got /],
    ['no kind', {}, /the kind of recovery must be a known one; got undefined/],
    [
      'nothing',
      undefined,
      /recovery must be a function that returns an object .*got one that returned undefined/,
    ],
  ] as const) {
    it(`ends the watch with an error that says what to change if it returns ${what}`, () => {
      const { scheduler, pass } = virtualTime();
      const errors: unknown[] = [];
      const failingPoll = () => {
        throw new Error('the network');
      };
      watch<Answer>(failingPoll, { scheduler, recovery: () => decision as never }).subscribe({
        error: (error: unknown) => errors.push(error),
      });
      pass(60_000);
      strictEqual(isInputError(errors[0]), true);
      match(String(errors[0]), words);
    });
  }
});

interface Answer {
  readonly watch: { readonly index: string };
}

function poll(): Observable<Answer> {
  return of({ watch: { index: '1' } });
}
