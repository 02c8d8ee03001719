import { JetStreamApiError } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  defer,
  ignoreElements,
  merge,
  tap,
  type MonoTypeOperatorFunction,
  type TimestampProvider,
} from 'rxjs';
import { isInputError } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import { FleetError, isFleetError, NO_FLEET_YET, NotYet } from '../fleet-error.js';
import { slowConnect, type Nats } from './nats-connection.js';

/** How long NATS may take to start, or to elect a leader, in ms. */
const STARTING_MS = 60_000;

/** The longest wait between two tries while NATS starts, in ms. */
const MAX_BACKOFF_MS = 2_000;

/**
 * JetStream is not enabled, a cluster has no leader, or no stream has the subject. The server does
 * not say which.
 */
const UNANSWERED = /jetstream is not enabled|JetStreamNotEnabled|no responders/i;

/** Errors of a server that is still starting. */
const LATE = /timeout|temporarily unavailable|no suitable peers/i;

/**
 * Patterns for the texts of NATS errors, and what to do about each. Their classes cannot be used,
 * because they differ between versions and packages.
 */
const PROBLEMS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    UNANSWERED,
    () => 'JetStream is not enabled on the NATS server, or has no leader: start the server with -js',
  ],
  [
    /Permissions Violation for (Publish|Subscription) to "([^"]*)"/i,
    ([, operation, subject]) => {
      const action = operation!.toLowerCase() === 'publish' ? 'publish' : 'subscribe';
      return `this user of NATS may not ${action} to ${subject}`;
    },
  ],
  [/Authorization Violation|authentication/i, () => 'the NATS server does not accept these credentials'],
  [
    /connection refused|ECONNREFUSED|ENOTFOUND|EAI_AGAIN/i,
    () => 'the NATS server was not reached: check its address',
  ],
  [/closed connection|connection closed|draining/i, () => 'the connection to NATS was closed'],
  [
    /insufficient (?:storage )?resources|maximum bytes exceeded|no space left/i,
    () =>
      'NATS has no room for more: give its store more, or run the first worker with maxBytes, so that the oldest events go',
  ],
  [
    /no suitable peers/i,
    () => 'the NATS cluster has not enough servers for that many replicas, or some are down',
  ],
  [
    /temporarily unavailable/i,
    () => 'JetStream of the NATS server is not ready: it starts, or its cluster has no leader',
  ],
  [/timeout/i, () => 'the NATS server did not answer in time'],
];

/**
 * Converts an error of NATS to one that says what to do. Errors of this library stay as they are.
 */
export function natsProblem(error: unknown): Error {
  if (isFleetError(error) || isInputError(error)) return error;
  const text = textOf(error);
  if (/stream not found/i.test(text)) return new NotYet(NO_FLEET_YET, { cause: error });
  for (const [pattern, explain] of PROBLEMS) {
    const match = pattern.exec(text);
    if (match) return new FleetError(explain(match), { cause: error });
  }
  return new FleetError(`NATS failed: ${messageOf(error)}`, { cause: error });
}

/** Whether the server has answered with this error. */
export function isApiError(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof JetStreamApiError && codes.includes(error.code);
}

/** Whether nothing in the server answers, as for a stream that does not exist. */
export function isUnanswered(error: unknown): boolean {
  return UNANSWERED.test(textOf(error));
}

/** Whether NATS has not answered in time. */
export function isTimeout(error: unknown): boolean {
  return /timeout/i.test(textOf(error));
}

/** Whether an error may be transient, such as that of a cluster that elects its leaders. */
export function mayPass(error: unknown, isCluster: boolean): boolean {
  return error instanceof NotYet || LATE.test(textOf(error)) || (isCluster && isUnanswered(error));
}

/**
 * Returns a function that says whether an error may be transient. For a minute from now on these
 * are: the fleet has had no worker yet, NATS is slow, or a cluster elects its leaders.
 */
export function whileStarting(
  nats: Nats,
  clock: TimestampProvider = performance,
): (error: unknown) => boolean {
  const start = clock.now();
  let isCluster = false;
  const connected = ({ info }: NatsConnection) => {
    isCluster = info?.cluster !== undefined;
  };
  Promise.resolve(nats).then(connected, () => undefined);
  return error => mayPass(error, isCluster) && clock.now() - start < STARTING_MS;
}

/**
 * Subscribes again after an error that may be transient, for a minute from its first subscription
 * on (see {@link whileStarting}). `onRetry` is called with each of these errors, and if there is no
 * connection after ten seconds.
 */
export function retryWhileStarting<T>(
  nats: Nats,
  onRetry?: (error: unknown) => void,
): MonoTypeOperatorFunction<T> {
  return source =>
    defer(() => {
      const isStarting = whileStarting(nats);
      const shouldRetry = (error: unknown) => {
        if (!isStarting(error)) return false;
        onRetry?.(error);
        return true;
      };
      const slow$ = slowConnect(nats).pipe(tap(onRetry), ignoreElements());
      return merge(source.pipe(backoff({ max: MAX_BACKOFF_MS, shouldRetry })), slow$);
    });
}

function textOf(error: unknown): string {
  const { name = '', cause } = Object(error) as Partial<Error>;
  return `${name}: ${messageOf(error)} ${cause instanceof Error ? cause.message : ''}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
