import {
  BehaviorSubject,
  catchError,
  concatMap,
  defer,
  ignoreElements,
  map,
  merge,
  Observable,
  switchMap,
  tap,
} from 'rxjs';
import { checkOptions, isInputError, milliseconds, plainObject, type Options } from '../../../error/index.js';
import {
  decodedEvents,
  identityEventList,
  type EventCodecs,
  type IdentityEventList,
  type NoOwnEvents,
  type PayloadsOf,
} from '../../../protocol/index.js';
import {
  backoff,
  connecting,
  eventFeed,
  type EventFeed,
  type WatchSignal,
  type WatchStatus,
} from '../../../stream/index.js';
import { RecordChain } from './handled-records.js';
import {
  connectionStatus,
  fleetName,
  hasLost,
  identityId,
  identityMessages,
  isNewerVersion,
  lastRecordOf,
  natsConnection,
  natsProblem,
  openFleetToFollow,
  storedRecord,
  storedSubject,
  whenClosed,
  whileStarting,
  type FleetMessage,
  type Nats,
  type OpenFleet,
} from '../nats/index.js';

/**
 * The options of {@link fleetFeed}. `nats` and `identity_id` are required; everything else is
 * optional.
 */
export interface FleetFeedConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It stays yours. */
  readonly nats: Nats;
  readonly identity_id: string;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly kinds?: Codecs;
  /** How long to go on after the last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<FleetFeedConfig> = {
  nats: natsConnection,
  identity_id: identityId,
  kinds: plainObject,
  linger: milliseconds,
  fleet: fleetName,
};

/**
 * The live events of one identity, as a fleet stores them: the same as `client.events.feed` of that
 * identity, without a request to the service. It starts from now, and keeps its place while it has
 * no subscriber, for as long as the fleet keeps events.
 *
 * `status$` tells how the connection to NATS is. `gap$` also tells what the fleet has missed
 * itself.
 *
 * Errors: `FleetError` if it cannot begin (the first worker, a slow NATS, and a cluster that
 * chooses its leaders, have a minute), or the connection was closed. Throws an `InputError` if the
 * config is invalid.
 *
 * @example
 * fleetFeed({ nats, identity_id }).lobbyJoin$.subscribe(join => notify(join));
 */
export function fleetFeed<const Codecs extends EventCodecs = NoOwnEvents>(
  config: FleetFeedConfig<Codecs>,
): EventFeed<PayloadsOf<Codecs>> {
  checkOptions<FleetFeedConfig>(config as object as FleetFeedConfig, OPTIONS, '', ['nats', 'identity_id']);
  const { nats, linger, fleet } = config;
  const place = new FeedPosition();
  const signal$ = defer(() => {
    const signals$ = defer(() => openFleetToFollow({ nats, fleet })).pipe(
      switchMap(fleet => merge(signalsOf(fleet, config, place), whenClosed(fleet.nats))),
    );
    return signals$.pipe(backoff({ max: 2_000, shouldRetry: whileStarting(nats) }));
  });
  return eventFeed<PayloadsOf<Codecs>>(signal$, linger === undefined ? {} : { linger });
}

/**
 * Where a feed is, also while nothing is subscribed to it: what is held for the next subscriber
 * counts as taken.
 */
class FeedPosition {
  /** Everything up to this position has been emitted. */
  handled: number | undefined;
  chain: RecordChain | undefined;
  /** The number of the stream. */
  generation: number | undefined;
}

function signalsOf<Codecs extends EventCodecs>(
  fleet: OpenFleet,
  config: FleetFeedConfig<Codecs>,
  place: FeedPosition,
): Observable<WatchSignal<IdentityEventList<PayloadsOf<Codecs>>>> {
  type Signal = WatchSignal<IdentityEventList<PayloadsOf<Codecs>>>;
  const subject = storedSubject(fleet.names, config.identity_id, fleet.shards);
  const codec = identityEventList<Codecs>(config.kinds ?? ({} as Codecs));
  const status$ = new BehaviorSubject<WatchStatus>(connecting(Date.now()));
  const setState = (state: 'live' | 'retrying', error?: unknown) => {
    const { value } = status$;
    if (value.state === state && value.error === error) return;
    const attempt = state === 'live' ? 0 : value.attempt + 1;
    status$.next({ ...value, state, error, attempt, since: Date.now() });
  };
  let hasBegun = false;
  /** The parts of a record that is not complete yet. */
  const parts = new Map<number, FleetMessage>();

  const begin = async () => {
    const generation = await fleet.generation();
    if (generation !== (place.generation ?? generation)) {
      // The stream was created again. It may be longer by now than the one before it.
      place.handled = 0;
      place.chain = new RecordChain('lost');
    }
    place.generation = generation;
    place.handled ??= await lastRecordOf(fleet, subject);
    // All has expired.
    if (await hasLost(fleet, subject, place.handled)) place.handled = 0;
    place.chain ??= new RecordChain(place.handled);
    return place.chain;
  };
  const connection$ = connectionStatus(fleet.nats).pipe(
    tap(({ type }) => {
      if (type === 'disconnect' || type === 'reconnecting') setState('retrying');
      if (type === 'reconnect') setState('live');
    }),
    ignoreElements(),
  );
  const signalsIn = async (message: FleetMessage, chain: RecordChain): Promise<readonly Signal[]> => {
    const record = await storedRecord(message, sequence => Promise.resolve(parts.get(sequence)));
    if (!record) {
      parts.set(message.sequence, message);
      return [];
    }
    parts.clear();
    const gap = chain.gapBefore(record);
    const answer = decodedEvents(codec, record.answer);
    return [...(gap ? [{ kind: 'gap', gap } as const] : []), { kind: 'answer', answer }];
  };
  const records$ = defer(begin).pipe(
    switchMap(chain => {
      hasBegun = true;
      setState('live');
      const messages$ = identityMessages(fleet, subject, () => place.handled!);
      const signals$ = messages$.pipe(
        concatMap(async message => ({ message, signals: await signalsIn(message, chain) })),
        concatMap(({ message, signals }) => {
          if (signals.length > 0) place.handled = message.sequence;
          return signals;
        }),
      );
      return merge(connection$, signals$);
    }),
    catchError((failed: unknown) => {
      const error = natsProblem(failed);
      setState('retrying', error);
      throw error;
    }),
    backoff({ shouldRetry: error => hasBegun && !isInputError(error) && !isNewerVersion(error) }),
  );
  return merge(status$.pipe(map(status => ({ kind: 'status', status }) as const)), records$);
}
