import { asyncScheduler, NEVER, type Observable, type ObservableInput } from 'rxjs';
import {
  atOnce,
  checkOptions,
  definedOptions,
  guarded,
  InputError,
  recovery,
  valueAt,
} from '../error/index.js';
import { jsonHash, textHash } from '../protocol/index.js';
import {
  backoffSettings,
  type BackoffConfig,
  monotonicClock,
  TESTING_OPTIONS,
  type Clocks,
  type TokenBucket,
} from './timing/index.js';
import { awaited } from './awaited.js';
import { logFailedAcks } from './failed-acks.js';
import { resumePoint, type IndexGuard, type ResumePoint } from './resume-point.js';
import { WATCH_OPTIONS, type WatchConfig } from './watch-config.js';
import type { Checkpoint, Gap, WatchLogEntry } from './watch-signal.js';

type Defaulted =
  | 'wake$'
  | 'timeout'
  | 'minInterval'
  | 'burst'
  | 'retention'
  | 'isEmpty'
  | 'isOlder'
  | 'redelivers'
  | 'recovery';

/** Makes a key of an answer. It may use the text of the answer and its index, if they are known. */
type KeyOf<A> = (answer: A, text: string | undefined, index: string | undefined) => unknown;

/** A {@link WatchConfig} with its defaults filled in. */
export interface WatchSettings<A> extends Required<Pick<WatchConfig<A>, Defaulted>>, Clocks {
  readonly from: ResumePoint | undefined;
  /** `undefined` if there is no `ack` to wait for. */
  readonly ack: ((answer: A, checkpoint: Checkpoint, gap?: Gap) => ObservableInput<unknown>) | undefined;
  readonly backoff: Required<BackoffConfig>;
  readonly random: () => number;
  readonly beforePoll: (() => ObservableInput<unknown>) | undefined;
  readonly indexOf: (answer: A) => unknown;
  /** The log that an answer belongs to, if it says so. */
  readonly handleOf: (answer: A) => unknown;
  /** A key by which a repeat is recognized. */
  readonly keyOf: KeyOf<A>;
  /** A key of an answer without its index. */
  readonly contentOf: KeyOf<A>;
  /** The part of a repeat that is acknowledged. */
  readonly withoutNews: (answer: A) => A;
  readonly log: (entry: WatchLogEntry) => void;
  /** Whether an index can be sent. */
  readonly isIndex: IndexGuard;
  /** The quota of the route of the polls. `undefined` if nothing else has this route. */
  readonly quota?: Pick<TokenBucket<'poll'>, 'take' | 'pause'> | undefined;
  /** Emits when `wake()` of the client is called. */
  readonly tryNow$?: Observable<unknown> | undefined;
  /**
   * Whether a feed that had no subscribers for a while gives the next one the events since then.
   */
  readonly resume: boolean;
}

/** What an endpoint says about its answers. */
export type AnswerSettings<A> = Partial<
  Pick<
    WatchSettings<A>,
    'isEmpty' | 'keyOf' | 'contentOf' | 'withoutNews' | 'isIndex' | 'quota' | 'tryNow$'
  > & { readonly isState: boolean }
>;

/**
 * Every name of the settings. A spread that adds one costs each watch a separate hidden class in
 * Node 20, and a process may hold thousands of watches.
 */
const DEFAULTS = {
  from: undefined,
  ack: undefined,
  beforePoll: undefined,
  scheduler: asyncScheduler,
  backoff: undefined,
  log: undefined,
  wake$: NEVER,
  timeout: 70_000,
  minInterval: 1_000,
  burst: 3,
  retention: Infinity,
  isEmpty: () => false,
  isOlder: isOlderDecimal,
  redelivers: true,
  isIndex: () => true,
  withoutNews: <A>(answer: A) => answer,
  recovery,
  random: Math.random,
  monotonic: undefined,
  resume: true,
  indexOf: undefined,
  handleOf: undefined,
  contentOf: undefined,
  keyOf: undefined,
  quota: undefined,
  tryNow$: undefined,
};

/**
 * Fills in the defaults, some of which may be an endpoint's. Throws an `InputError` if an option is
 * unknown or invalid.
 */
export function watchSettings<A>(config: WatchConfig<A>, defaults: AnswerSettings<A> = {}): WatchSettings<A> {
  checkOptions<WatchConfig<never>>(config, WATCH_OPTIONS);
  const {
    from,
    ack,
    beforePoll,
    backoff,
    log,
    testing,
    scheduler = asyncScheduler,
    indexOf = 'watch.index',
    handleOf,
    isState = defaults.isState ?? false,
    keyOf,
    ...others
  } = definedOptions(config);
  const options = { ...others, ...answeringAtOnce(others) };
  checkOptions(testing, TESTING_OPTIONS, 'testing');
  const { keyOf: ownKeyOf, contentOf = contentBut(indexOf), ...ofEndpoint } = definedOptions(defaults);
  return {
    ...DEFAULTS,
    monotonic: monotonicClock(scheduler),
    ...definedOptions(testing),
    ...ofEndpoint,
    ...options,
    from: from == null ? undefined : resumePoint(from, defaults.isIndex),
    ack: ack && ((answer, checkpoint, gap) => awaited('ack', () => ack(answer, checkpoint, gap))),
    beforePoll: beforePoll && (() => awaited('beforePoll', beforePoll)),
    scheduler,
    backoff: backoffSettings(backoff),
    log: guarded(log ?? (ack && logFailedAcks())),
    indexOf: indexOf === 'watch.index' ? readWatchIndex : reading('indexOf', indexOf),
    handleOf: handleOf ? reading('handleOf', handleOf) : noHandle,
    contentOf,
    keyOf: keyOfNews(),
  };

  function keyOfNews(): KeyOf<A> {
    if (options.redelivers === false) return newKey;
    if (keyOf) return atOnce('keyOf', (answer: A) => keyOf(answer));
    if (ownKeyOf) return ownKeyOf;
    if (!isState) return keyInLog;
    if (typeof indexOf === 'string') return contentOf;
    throw new InputError('keyOf', 'given with isState and an indexOf that is a function', 'nothing');
  }
}

/**
 * The callbacks of a config that decide something. The promise of an async one is no decision.
 */
function answeringAtOnce<A>({ isEmpty, isOlder, recovery }: WatchConfig<A>): Partial<WatchSettings<A>> {
  return definedOptions({
    isEmpty: isEmpty && atOnce('isEmpty', isEmpty),
    isOlder: isOlder && atOnce('isOlder', isOlder),
    recovery: recovery && atOnce('recovery', recovery),
  }) as Partial<WatchSettings<A>>;
}

/** A key that equals no other key. */
const newKey = () => ({});

/**
 * In a log, an answer without an index or with another one is new, even if it equals the last
 * answer.
 */
const keyInLog: KeyOf<unknown> = (answer, text, index) => {
  if (index === undefined) return newKey();
  return text === undefined ? jsonHash(answer) : textHash(text);
};

function contentBut<A>(indexOf: WatchConfig<A>['indexOf'] & {}): KeyOf<A> {
  if (typeof indexOf === 'function') return (answer, _, index) => jsonHash(answer, [], index);
  const path = indexOf.split('.');
  return answer => jsonHash(answer, path);
}

/** An answer that names no log. */
const noHandle = () => undefined;

/** The usual one is one function for all watches. */
const readWatchIndex = /* @__PURE__ */ reading('indexOf', 'watch.index');

/** Reads a field of an answer. `option` is the name of the option that says where it is. */
function reading<A>(option: string, place: string | ((answer: A) => unknown)): (answer: A) => unknown {
  if (typeof place === 'function') return atOnce(option, place);
  const path = place.split('.');
  return answer => valueAt(answer, path);
}

/** Decimal indexes are compared as strings, since numbers lose digits. */
function isOlderDecimal(index: string, than: string): boolean {
  if (![index, than].every(text => /^\d+$/.test(text))) return false;
  const [a, b] = [index, than].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}
