import type { Status } from '@nats-io/transport-node';
import { connectionStatus } from './connection-status.js';
import { CATCH_UP, type Delivery } from '../messages-in-order.js';
import type { OpenFleet } from './open-fleet.js';
import type { FleetMessage } from './stored-record.js';

/** A message may get lost on the way without another one that shows it: so often, in ms, it is looked for. */
const LOOK = 60_000;

/** A message of an identity, or that some may have been missed. */
type LiveDelivery = Delivery<FleetMessage> | typeof CATCH_UP;

/** The messages of an identity as they are stored. */
export interface Live {
  readonly deliveries: AsyncIterable<LiveDelivery>;
  readonly stop: () => void;
}

/** Follows what the stream republishes. `stored` are the subjects under which it is stored; `onStatus` hears of the connection. */
export function liveMessages(
  { nats, names }: OpenFleet,
  stored: string,
  onStatus: (type: Status['type']) => void,
): Live {
  const queue: LiveDelivery[] = [CATCH_UP];
  let wake: (() => void) | undefined;
  let hasEnded = false;
  let failure: Error | undefined;
  const push = (delivery: LiveDelivery) => {
    queue.push(delivery);
    wake?.();
  };

  const subjects = names.live + stored.slice(names.stored.length);
  const subscription = nats.subscribe(subjects, {
    callback: (error, message) => {
      if (error) return end(error);
      const { headers, data } = message;
      const before = Number(headers?.get('Nats-Last-Sequence'));
      const sequence = Number(headers?.get('Nats-Sequence'));
      const subject = headers?.get('Nats-Subject') ?? '';
      push({ message: { sequence, at: 0, subject, headers, data }, follows: last => last === before });
    },
  });
  const looking = setInterval(() => push(CATCH_UP), LOOK);
  const statuses = connectionStatus(nats).subscribe(({ type }) => {
    onStatus(type);
    // What was published meanwhile was not delivered.
    if (type === 'reconnect') push(CATCH_UP);
  });

  function end(error?: Error) {
    hasEnded = true;
    failure = error;
    clearInterval(looking);
    statuses.unsubscribe();
    subscription.unsubscribe();
    wake?.();
  }
  async function* deliveries(): AsyncGenerator<LiveDelivery, void, undefined> {
    while (!hasEnded) {
      const delivery = queue.shift();
      if (delivery) yield delivery;
      else await new Promise<void>(resolve => (wake = resolve));
    }
    if (failure) throw failure;
  }
  return { deliveries: deliveries(), stop: () => end() };
}
