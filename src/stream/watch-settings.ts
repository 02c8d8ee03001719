import { asyncScheduler, NEVER, type Observable, type ObservableInput } from 'rxjs';
import {
  anAnswerObject,
  aPlainValue,
  atOnce,
  checkOptions,
  definedOptions,
  guarded,
  recovery,
  type Recovery,
} from '../error/index.js';
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
import { isOlderDecimal, readerOf, type OwnReading, type Read } from './reading.js';
import { resumePoint, type IndexGuard, type ResumePoint } from './resume-point.js';
import { WATCH_OPTIONS, type WatchConfig } from './watch-config.js';
import type { Checkpoint, Gap, WatchLogEntry } from './watch-signal.js';

type Defaulted = 'wake$' | 'timeout' | 'minInterval' | 'retention' | 'isOlder' | 'redelivers' | 'recovery';

/** A {@link WatchConfig} with its defaults filled in. */
export interface WatchSettings<A> extends Required<Pick<WatchConfig<A>, Defaulted>>, Clocks {
  readonly from: ResumePoint | undefined;
  /** `undefined` if there is no `ack` to wait for. */
  readonly ack: ((answer: A, checkpoint: Checkpoint, gap?: Gap) => ObservableInput<unknown>) | undefined;
  readonly backoff: Required<BackoffConfig>;
  readonly random: () => number;
  readonly beforePoll: (() => ObservableInput<unknown>) | undefined;
  readonly read: Read<A>;
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

/** What an endpoint and its client say about a watch. */
export interface AnswerSettings<A> extends Partial<
  Pick<WatchSettings<A>, 'withoutNews' | 'isIndex' | 'quota' | 'tryNow$'>
> {
  readonly reading?: OwnReading<A>;
}

const always = () => true;

/** What the watch does if the service no longer knows the index. */
const GONE: Recovery = { kind: 'retry', dropsIndex: true };

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
  retention: Infinity,
  isOlder: isOlderDecimal,
  redelivers: true,
  isIndex: always,
  withoutNews: <A>(answer: A) => answer,
  recovery,
  random: Math.random,
  monotonic: undefined,
  resume: true,
  read: undefined,
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
    read,
    indexOf,
    isState,
    redelivers = true,
    isGone,
    isOlder,
    recovery: decide,
    ...options
  } = definedOptions(config);
  checkOptions(testing, TESTING_OPTIONS, 'testing');
  const { reading = {}, isIndex = always, ...others } = definedOptions(defaults);
  return {
    ...DEFAULTS,
    monotonic: monotonicClock(scheduler),
    ...definedOptions(testing),
    ...others,
    ...options,
    from: from == null ? undefined : resumePoint(from, defaults.isIndex),
    ack: ack && ((answer, checkpoint, gap) => awaited('ack', () => ack(answer, checkpoint, gap))),
    beforePoll: beforePoll && (() => awaited('beforePoll', beforePoll)),
    scheduler,
    backoff: backoffSettings(backoff),
    log: guarded(log ?? (ack && logFailedAcks())),
    isIndex,
    redelivers,
    isOlder: isOlder ? atOnce('isOlder', isOlder, aPlainValue) : isOlderDecimal,
    recovery: decisionOf(isGone, decide),
    read: readerOf({ read, indexOf, isState, redelivers }, reading, isIndex),
  };
}

/** The callbacks decide at once. The promise of an async one is no decision. */
function decisionOf(
  isGone: ((error: unknown) => boolean) | undefined,
  decide: ((error: unknown) => Recovery) | undefined,
): (error: unknown) => Recovery {
  const others = decide ? atOnce('recovery', decide, anAnswerObject) : recovery;
  if (!isGone) return others;
  const gone = atOnce('isGone', isGone, aPlainValue);
  return error => (gone(error) ? GONE : others(error));
}
