import type { Status } from '@nats-io/transport-node';
import { connectionStatus } from './connection-status.js';
import type { CatchUp, Delivery } from '../messages-in-order.js';
import type { OpenFleet } from './open-fleet.js';
import type { FleetMessage } from './record-reader.js';

/** A message may get lost on the way without another one that shows it: so often, in ms, it is looked for. */
const LOOK = 60_000;

/** Everything that is stored. */
const ALL: CatchUp = { upTo: Infinity };

/** The messages of an identity as they are stored. */
export interface Live {
  readonly deliveries: AsyncIterable<Delivery<FleetMessage> | CatchUp>;
  readonly stop: () => void;
}

/** Follows what the stream republishes. `stored` are the subjects under which it is stored; `onStatus` hears of the connection. */
export function liveMessages(
  { nats, names }: OpenFleet,
  stored: string,
  onStatus: (type: Status['type']) => void,
): Live {
  const queue: (Delivery<FleetMessage> | CatchUp)[] = [ALL];
  let wake: (() => void) | undefined;
  let hasEnded = false;
  let failure: Error | undefined;
  const push = (delivery: Delivery<FleetMessage> | CatchUp) => {
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
      push({ message: { sequence, subject, headers, data }, follows: last => last === before });
    },
  });
  const looking = setInterval(() => push(ALL), LOOK);
  const statuses = connectionStatus(nats).subscribe(({ type }) => {
    onStatus(type);
    // What was published meanwhile was not delivered.
    if (type === 'reconnect') push(ALL);
  });

  function end(error?: Error) {
    hasEnded = true;
    failure = error;
    clearInterval(looking);
    statuses.unsubscribe();
    subscription.unsubscribe();
    wake?.();
  }
  async function* deliveries(): AsyncGenerator<Delivery<FleetMessage> | CatchUp, void, undefined> {
    while (!hasEnded) {
      const delivery = queue.shift();
      if (delivery) yield delivery;
      else await new Promise<void>(resolve => (wake = resolve));
    }
    if (failure) throw failure;
  }
  return { deliveries: deliveries(), stop: () => end() };
}
