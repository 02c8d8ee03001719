import { isInputError } from '../../error/index.js';
import { FleetError, isFleetError } from '../fleet-error.js';

/** Errors of NATS by what they say, and what to do about each. The classes differ between versions and packages. */
const PROBLEMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [
    /jetstream is not enabled|JetStreamNotEnabled|no responders/i,
    () => 'JetStream is not enabled on the NATS server, or has no leader: start the server with -js',
  ],
  [
    /Permissions Violation for (Publish|Subscription) to "([^"]*)"/i,
    text => {
      const [, what, subject] = /Permissions Violation for (Publish|Subscription) to "([^"]*)"/i.exec(text)!;
      return `this user of NATS may not ${what!.toLowerCase() === 'publish' ? 'publish to' : 'subscribe to'} ${subject}`;
    },
  ],
  [/Authorization Violation|authentication/i, () => 'the NATS server does not accept these credentials'],
  [
    /connection refused|ECONNREFUSED|ENOTFOUND|EAI_AGAIN/i,
    () => 'the NATS server was not reached: check its address',
  ],
  [/stream not found/i, () => 'the fleet does not exist yet: none of its workers has run'],
  [/closed connection|connection closed|draining/i, () => 'the connection to NATS was closed'],
  [/timeout/i, () => 'the NATS server did not answer in time'],
];

/** What a server says or does not say while it starts, or while a cluster has no leader. */
const PASSES = /timeout|temporarily unavailable|no suitable peers|no leader/i;

/** What a cluster says then, too. A server of its own says so if it has no JetStream. */
const PASSES_IN_CLUSTER = /JetStreamNotEnabled|no responders/i;

/** Whether an error that {@link natsProblem} explained may pass by itself. */
export function mayPass(error: unknown, isCluster: boolean): boolean {
  const { cause } = Object(error) as Partial<Error>;
  const { name = '', message = '' } = Object(cause) as Partial<Error>;
  const text = `${name}: ${message}`;
  return isFleetError(error) && (PASSES.test(text) || (isCluster && PASSES_IN_CLUSTER.test(text)));
}

/** An error of NATS as one that says what to do. Errors of this library stay as they are. */
export function natsProblem(error: unknown): Error {
  if (isFleetError(error) || isInputError(error)) return error;
  const { name = '', message = String(error), cause } = Object(error) as Partial<Error>;
  const text = `${name}: ${message} ${cause instanceof Error ? cause.message : ''}`;
  const known = PROBLEMS.find(([pattern]) => pattern.test(text));
  return new FleetError(known ? known[1](text) : `NATS failed: ${message}`, { cause: error });
}
