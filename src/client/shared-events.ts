import { concatMap, finalize, map, tap, type Observable } from 'rxjs';
import { rawEventsWatch, type Endpoint, type EventsWatchInput } from '../endpoint/index.js';
import { definedOptions } from '../error/index.js';
import { decodedEvents, RawEventList, type IdentityEventList } from '../protocol/index.js';
import {
  ageLimit,
  checkpointOf,
  continuingWatch,
  queuedSignals,
  type AnswerSettings,
  type Audience,
  type Checkpoint,
  type Gap,
  type GapReason,
  type WatchConfig,
  type WatchSharing,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientContext } from './context.js';
import { endpointWatch } from './requests.js';

/** The options of a shared watch of events. */
interface SharedEventsConfig<List> extends WatchConfig<List> {
  readonly resume: boolean;
  readonly share: WatchSharing;
}

/**
 * The signals of a shared watch of events, for the audience of a feed. The tabs that share it may
 * be of different deployments. They share the events as the service sent them, and each tab decodes
 * them.
 */
export function sharedEvents<Own extends object>(
  context: ClientContext,
  endpoint: Endpoint<EventsWatchInput, IdentityEventList<Own>>,
  config: SharedEventsConfig<IdentityEventList<Own>>,
): (audience: Audience<IdentityEventList<Own>>) => Observable<WatchSignal<IdentityEventList<Own>>> {
  type List = IdentityEventList<Own>;
  const { resume, share, ack, handleOf, indexOf, isEmpty, keyOf, ...watchConfig } = config;
  let last: { readonly raw: RawEventList; readonly list: List } | undefined;
  const listOf = (raw: RawEventList) => {
    if (last?.raw !== raw) last = { raw, list: decodedEvents(endpoint.response, raw) };
    return last.list;
  };
  const ofRaw = <Rest extends readonly unknown[], Result>(callback?: (list: List, ...rest: Rest) => Result) =>
    callback && ((raw: RawEventList, ...rest: Rest) => callback(listOf(raw), ...rest));
  const own = endpoint as object as AnswerSettings<List>;
  const callbacks = {
    ack: ofRaw(ack),
    // The index stands at the same place in the list that the service sent.
    indexOf: typeof indexOf === 'string' ? indexOf : ofRaw(indexOf),
    handleOf: typeof handleOf === 'string' ? handleOf : ofRaw(handleOf),
    isEmpty: ofRaw(isEmpty ?? own.isEmpty),
    keyOf: ofRaw(keyOf ?? (own.keyOf as typeof keyOf)),
  };
  const { poll, settings } = endpointWatch<EventsWatchInput, RawEventList>(
    context,
    { ...rawEventsWatch, ...endpoint, response: RawEventList },
    {},
    { ...watchConfig, ...(definedOptions(callbacks) as WatchConfig<RawEventList>) },
  );
  const { from, retention, scheduler } = settings;
  const watch = continuingWatch(poll, { ...settings, from: undefined });
  const now = () => scheduler.now();
  let position: Checkpoint | undefined;
  /**
   * Events that were dropped, or are not continued from, are a gap before the next answer. Only
   * then does a reload see what came before.
   */
  let due: GapReason | undefined;
  let isStarted = false;
  let isRunning = false;

  const run = () => {
    // The age of a bare index is unknown, so it counts as new.
    if (!isStarted && from) position = { index: from.index ?? '', at: from.at ?? now() };
    if (isStarted && !resume && position) due = 'unwatched';
    isStarted = true;
    isRunning = true;
    const index = position?.index;
    if (due === 'unwatched') position = undefined;
    return share(watch, { from: position }).pipe(
      concatMap((signal): readonly WatchSignal<RawEventList>[] => {
        if (!due || signal.kind === 'status') return [signal];
        const gap: Gap = { reason: due, at: now(), index };
        due = undefined;
        return signal.kind === 'gap' ? [signal] : [{ kind: 'gap', gap }, signal];
      }),
      map(signal => (signal.kind === 'answer' ? { ...signal, answer: listOf(signal.answer) } : signal)),
      // Events that are queued for the next subscriber count as consumed.
      tap(signal => {
        position = checkpointOf(signal) ?? position;
      }),
      finalize(() => {
        isRunning = false;
      }),
    );
  };
  const drops = (queuedCount: number) => {
    if (!position) return false;
    if (!resume && !isRunning) due = 'unwatched';
    else if (queuedCount > 0 && now() - position.at > ageLimit(retention)) due = 'silence';
    return due !== undefined;
  };
  return audience => context.life.heldWhileActive(queuedSignals(run, audience, drops), audience.isActive$);
}
