import {
  BehaviorSubject,
  defer,
  firstValueFrom,
  map,
  merge,
  Observable,
  switchMap,
  timer,
  type Subscriber,
} from 'rxjs';
import { checkConfig, isInputError, milliseconds, plainObject, type Options } from '../error/index.js';
import type { EventCodecs, IdentityEventList, NoOwnEvents, PayloadsOf } from '../protocol/index.js';
import {
  backoff,
  connecting,
  eventFeed,
  type EventFeed,
  type WatchSignal,
  type WatchStatus,
} from '../stream/index.js';
import { FleetError } from './fleet-error.js';
import { messagesInOrder } from './messages-in-order.js';
import { natsConnection, type Nats } from './nats-connection.js';
import {
  fleetName,
  identityId,
  lastRecordOf,
  liveMessages,
  natsProblem,
  openFleetToFollow,
  ownMessages,
  storedRecord,
  storedSubjects,
  whenClosed,
  type FleetMessage,
  type OpenFleet,
} from './nats/index.js';
import { RecordChain } from './record-chain.js';
import { storedEvents } from './stored-events.js';

/** How far a server of a cluster may lag behind, in ms. */
const LAG = 1_000;

/** The options of {@link fleetFeed}. `nats` and `identity_id` are required; everything else is optional. */
export interface FleetFeedConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It stays yours. */
  readonly nats: Nats;
  readonly identity_id: string;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly events?: Codecs;
  /** How long to go on after the last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<FleetFeedConfig> = {
  nats: natsConnection,
  identity_id: identityId,
  events: plainObject,
  linger: milliseconds,
  fleet: fleetName,
};

/**
 * The live events of one identity, as a fleet stores them: the same as `client.events.feed` of that identity, without a request to
 * the service. It starts from now, and keeps its place while it has no subscriber, for as long as the fleet keeps events.
 *
 * `status$` tells how the connection to NATS is. `gap$` also tells what the fleet has missed itself.
 *
 * Errors: `FleetError` if it cannot begin, or the connection was closed. Throws an `InputError` if the config is invalid.
 *
 * @example
 * fleetFeed({ nats, identity_id }).lobbyJoin$.subscribe(join => notify(join));
 */
export function fleetFeed<const Codecs extends EventCodecs = NoOwnEvents>(
  config: FleetFeedConfig<Codecs>,
): EventFeed<PayloadsOf<Codecs>> {
  checkConfig<FleetFeedConfig>(config as object as FleetFeedConfig, OPTIONS, 'nats', 'identity_id');
  const { nats, linger, fleet } = config;
  const place = new FeedPlace();
  const signal$ = defer(() => openFleetToFollow({ nats, fleet })).pipe(
    switchMap(fleet => merge(signalsOf(fleet, config, place), whenClosed(fleet.nats))),
  );
  return eventFeed<PayloadsOf<Codecs>>(signal$, linger === undefined ? {} : { linger });
}

/** Where a feed is, also while nothing is subscribed to it: what is held for the next subscriber counts as taken. */
class FeedPlace {
  /** Everything up to this position has been emitted. */
  handled: number | undefined;
  chain: RecordChain | undefined;
}

function signalsOf<Codecs extends EventCodecs>(
  fleet: OpenFleet,
  config: FleetFeedConfig<Codecs>,
  place: FeedPlace,
): Observable<WatchSignal<IdentityEventList<PayloadsOf<Codecs>>>> {
  type List = IdentityEventList<PayloadsOf<Codecs>>;
  const subject = storedSubjects(fleet, config);
  const eventsOf = storedEvents<Codecs>(config.events ?? ({} as Codecs));
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

  /** Whether the stream ends before what has been emitted. A server that lags behind is asked again. */
  const hasLost = async (handled: number) => {
    if (handled === 0 || (await lastRecordOf(fleet, subject)) >= handled) return false;
    await firstValueFrom(timer(LAG));
    return (await lastRecordOf(fleet, subject)) < handled;
  };
  async function* read(from: number): AsyncGenerator<FleetMessage, void, undefined> {
    if (await hasLost(place.handled!)) throw new FleetError('NATS has lost what it had stored');
    yield* ownMessages(fleet, subject, from);
  }

  const run = async (subscriber: Subscriber<WatchSignal<List>>) => {
    const isLeft = () => subscriber.closed;
    place.handled ??= await lastRecordOf(fleet, subject);
    // All has expired, or the stream is another one.
    if (await hasLost(place.handled)) place.handled = 0;
    place.chain ??= new RecordChain(place.handled);
    if (isLeft()) return;
    const { deliveries, stop } = liveMessages(fleet, subject, type => {
      if (type === 'disconnect' || type === 'reconnecting') setState('retrying');
      if (type === 'reconnect') setState('live');
    });
    subscriber.add(stop);
    hasBegun = true;
    setState('live');
    for await (const message of messagesInOrder(deliveries, read, place.handled)) {
      const record = await storedRecord(message, sequence => Promise.resolve(parts.get(sequence)));
      if (isLeft()) return;
      if (!record) {
        parts.set(message.sequence, message);
        continue;
      }
      parts.clear();
      const gap = place.chain.gapBefore(record);
      place.handled = message.sequence;
      if (gap) subscriber.next({ kind: 'gap', gap });
      subscriber.next({ kind: 'answer', answer: eventsOf(record) });
    }
  };
  const records$ = new Observable<WatchSignal<List>>(subscriber => {
    const end = (reason?: unknown) => {
      const error = natsProblem(reason ?? new Error('the subscription has ended'));
      if (!subscriber.closed) setState('retrying', error);
      subscriber.error(error);
    };
    run(subscriber).then(end, end);
  });
  const statuses$ = status$.pipe(map(status => ({ kind: 'status', status }) as const));
  return merge(statuses$, records$.pipe(backoff({ when: error => hasBegun && !isInputError(error) })));
}
