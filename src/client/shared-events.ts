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

/** How a watch of events is shared. */
interface SharedEventsConfig<List> extends WatchConfig<List> {
  readonly resume: boolean;
  readonly share: WatchSharing;
}

/**
 * The signals of a watch of events that is shared, for the audience of a feed. Those that share it
 * may be of different deployments: they share what the service has sent, and each of them decodes
 * it.
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
  const ofRaw = <Rest extends readonly unknown[], Result>(of?: (list: List, ...rest: Rest) => Result) =>
    of && ((raw: RawEventList, ...rest: Rest) => of(listOf(raw), ...rest));
  const own = endpoint as object as AnswerSettings<List>;
  const callbacks = {
    ack: ofRaw(ack),
    // Where it stands is the same in what the service has sent.
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
  let place: Checkpoint | undefined;
  /**
   * What has been dropped, or is not continued, is a gap before the next answer: only then does a
   * reload see what came before.
   */
  let due: GapReason | undefined;
  let isStarted = false;
  let isRunning = false;

  const run = () => {
    // The age of an index alone is unknown: it counts as new.
    if (!isStarted && from) place = { index: from.index ?? '', at: from.at ?? now() };
    if (isStarted && !resume && place) due = 'unwatched';
    isStarted = true;
    isRunning = true;
    const index = place?.index;
    if (due === 'unwatched') place = undefined;
    return share(watch, { from: place }).pipe(
      concatMap((signal): readonly WatchSignal<RawEventList>[] => {
        if (!due || signal.kind === 'status') return [signal];
        const gap: Gap = { reason: due, at: now(), index };
        due = undefined;
        return signal.kind === 'gap' ? [signal] : [{ kind: 'gap', gap }, signal];
      }),
      map(signal => (signal.kind === 'answer' ? { ...signal, answer: listOf(signal.answer) } : signal)),
      // What is held for the next subscriber counts as taken.
      tap(signal => {
        place = checkpointOf(signal) ?? place;
      }),
      finalize(() => {
        isRunning = false;
      }),
    );
  };
  const drops = (queuedCount: number) => {
    if (!place) return false;
    if (!resume && !isRunning) due = 'unwatched';
    else if (queuedCount > 0 && now() - place.at > ageLimit(retention)) due = 'silence';
    return due !== undefined;
  };
  return audience => context.life.heldWhileActive(queuedSignals(run, audience, drops), audience.isActive$);
}
