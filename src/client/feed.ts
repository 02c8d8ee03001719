import { eventsWatch, likeReplaced, type Endpoint, type EventsWatchInput } from '../endpoint/index.js';
import { aBoolean, aFunction, checkOptions, milliseconds, type Options } from '../error/index.js';
import type { IdentityEventList, NoOwnEvents } from '../protocol/index.js';
import {
  ageLimit,
  answers,
  checkpointOf,
  continuingWatch,
  eventFeed,
  heldSignals,
  WATCH_OPTIONS,
  type Audience,
  type Checkpoint,
  type EventFeed,
  type EventFeedConfig,
  type Gap,
  type GapReason,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
  type WatchSharing,
  type WatchSignal,
} from '../stream/index.js';
import { concatMap, finalize, tap, type Observable } from 'rxjs';
import type { LobbyContext } from './context.js';
import { endpointSignals, endpointWatch } from './requests.js';

/** The options of `EventsApi.createFeed`. */
export interface FeedConfig<Own extends object = NoOwnEvents>
  extends WatchConfig<IdentityEventList<Own>>, EventFeedConfig {
  /** Whether the next subscriber, after all others have left, continues where they stopped. Default true. */
  readonly resume?: boolean;
  /**
   * Shares the watch with others, or pauses it: `whileAlive` and `acrossTabs()` of `lobby-rx/browser`. `ack` is called only where
   * the watch runs. Default: the feed has a watch of its own.
   */
  readonly share?: WatchSharing;
}

const FEED_OPTIONS: Options<FeedConfig> = {
  ...WATCH_OPTIONS,
  ...{ linger: milliseconds, resume: aBoolean, share: aFunction },
};

/** An endpoint of live events. */
export type EventsEndpoint<Own extends object> = Endpoint<EventsWatchInput, IdentityEventList<Own>>;

/** The live events of an identity, with one poll for all subscribers: see `EventsApi`. Throws an `InputError` if the config is invalid. */
export function feed<Own extends object = NoOwnEvents>(
  context: LobbyContext,
  config: FeedConfig<Own> = {},
  endpoint: EventsEndpoint<Own>,
): EventFeed<Own> {
  checkOptions<object>(config, FEED_OPTIONS);
  const { linger, resume = true, share, ...watchConfig } = config;
  const feedConfig = {
    ...context.feed,
    ...(watchConfig.scheduler && { scheduler: watchConfig.scheduler }),
    ...(linger !== undefined && { linger }),
  };
  const replacing = likeReplaced(endpoint, eventsWatch as unknown as typeof endpoint);
  const { poll, settings } = endpointWatch(context, replacing, {}, watchConfig);
  const settingsOf = () => ({ ...settings(), resume });
  if (share) return eventFeed<Own>(sharedSource(poll, settingsOf(), share), feedConfig);
  let run: ReturnType<typeof continuingWatch<IdentityEventList<Own>>> | undefined;
  return eventFeed<Own>(audience => (run ??= continuingWatch(poll, settingsOf(), audience))(), feedConfig);
}

/** The signals of a watch that is shared, for the audience of a feed. */
function sharedSource<List>(
  poll: SinglePoll<List>,
  settings: WatchSettings<List>,
  share: WatchSharing,
): (audience: Audience<List>) => Observable<WatchSignal<List>> {
  const { from, retention, scheduler, resume } = settings;
  const watch = continuingWatch(poll, { ...settings, from: undefined, resume: true });
  const now = () => scheduler.now();
  let place: Checkpoint | undefined;
  /** What has been dropped, or is not continued, is a gap before the next answer: only then does a reload see what came before. */
  let due: GapReason | undefined;
  let isStarted = false;
  let isRunning = false;

  const run = () => {
    // The age of an index alone is unknown: it counts as new.
    if (!isStarted && from) place = { index: from.index ?? '', at: from.at ?? now() };
    isStarted = isRunning = true;
    const index = place?.index;
    if (due === 'unwatched') place = undefined;
    return share(watch, { from: place }).pipe(
      concatMap((signal): readonly WatchSignal<List>[] => {
        if (!due || signal.kind === 'status') return [signal];
        const gap: Gap = { reason: due, at: now(), index };
        due = undefined;
        return signal.kind === 'gap' ? [signal] : [{ kind: 'gap', gap }, signal];
      }),
      // What is held for the next subscriber counts as taken.
      tap(signal => (place = checkpointOf(signal) ?? place)),
      finalize(() => (isRunning = false)),
    );
  };
  const drops = (heldCount: number) => {
    if (!place) return false;
    if (!resume && !isRunning) due = 'unwatched';
    else if (heldCount > 0 && now() - place.at > ageLimit(retention)) due = 'silence';
    return due !== undefined;
  };
  return audience => heldSignals(run, audience, drops);
}

/** The live events in batches. Each subscription is a watch of its own. */
export function batches<List>(
  context: LobbyContext,
  config: WatchConfig<List> | undefined,
  endpoint: Endpoint<EventsWatchInput, List>,
): Observable<List> {
  return endpointSignals(context, endpoint, {}, config).pipe(answers());
}
