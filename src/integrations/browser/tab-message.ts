import { fieldsOf, isClientError, textOf } from '../../error/index.js';
import type { Checkpoint, WatchSignal, WatchStatus } from '../../stream/index.js';

/** A signal of the leader's watch, and the index before it: `undefined` at the start. */
export interface Relayed<A> {
  readonly since: string | undefined;
  readonly signal: WatchSignal<A>;
}

/** The messages between the tabs that share a watch. No message has a bearer token. */
export type TabMessage<A> =
  | TabQuestion
  | TabReply<A>
  | { readonly kind: 'signal'; readonly epoch: number; readonly relayed: Relayed<A> }
  /** The leader is alive, and is at this index. */
  | { readonly kind: 'beat'; readonly epoch: number; readonly index: string | undefined };

/**
 * Asks for the signals after a position.
 *
 * - `hello`: a tab has come, or has missed something.
 * - `claim`: a tab has got the lock, and is about to poll from that position.
 *
 * Earlier leaders have smaller epochs.
 */
export interface TabQuestion {
  readonly kind: 'hello' | 'claim';
  readonly by: string;
  readonly position: Checkpoint | undefined;
  readonly epoch: number;
}

/** The answer to a question, with the signals that the tab has missed. */
export interface TabReply<A> {
  readonly kind: 'reply';
  readonly to: string;
  readonly epoch: number;
  /** The index of the position that was asked about. */
  readonly since: string | undefined;
  readonly position: Checkpoint | undefined;
  readonly status: WatchStatus;
  /** `undefined` if they are no longer known. */
  readonly missed: readonly Relayed<A>[] | undefined;
}

/** The part of a BroadcastChannel that is used. */
export interface TabChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * A status that can be cloned. An error of this library keeps its fields, among them the `_tag` by
 * which the guards recognize it. Of any other error, only the name and the message are sent, since
 * its fields may contain anything.
 */
export function cloneable(status: WatchStatus): WatchStatus {
  const { error } = status;
  if (error === undefined) return status;
  const { name, message } = fieldsOf(error);
  const words = { name: textOf(name ?? 'Error'), message: textOf(message ?? error) };
  if (!isClientError(error)) return { ...status, error: words };
  const fields = JSON.parse(JSON.stringify(Object.assign({}, error))) as object;
  return { ...status, error: { ...fields, ...words } };
}

/** Turns the fields of an error in a received status into an `Error` again. */
export function revived(status: WatchStatus): WatchStatus {
  if (status.error === undefined) return status;
  const fields = status.error as { readonly message: string };
  return { ...status, error: Object.assign(new Error(fields.message), fields) };
}

/** Changes the status of a signal. Another kind of signal stays as it is. */
export function withStatus<A>(relayed: Relayed<A>, change: (status: WatchStatus) => WatchStatus): Relayed<A> {
  const { since, signal } = relayed;
  if (signal.kind !== 'status') return relayed;
  return { since, signal: { ...signal, status: change(signal.status) } };
}
