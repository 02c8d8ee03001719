import type { Checkpoint, WatchSignal, WatchStatus } from '../stream/index.js';

/** A signal of the leader's watch, and the index that it follows: undefined at the start. */
export interface Told<A> {
  readonly after: string | undefined;
  readonly signal: WatchSignal<A>;
}

/** What the tabs that share a watch tell each other. None of it has a bearer token. */
export type TabMessage<A> =
  /** A tab has come, or has missed something. */
  | {
      readonly kind: 'hello';
      readonly by: string;
      readonly position: Checkpoint | undefined;
      readonly epoch: number;
    }
  /** A tab has got the lock, and is about to poll from its position. Earlier leaders have smaller epochs. */
  | {
      readonly kind: 'claim';
      readonly by: string;
      readonly position: Checkpoint | undefined;
      readonly epoch: number;
    }
  /** What the tab that said so has missed: undefined if that is not known any more. */
  | {
      readonly kind: 'reply';
      readonly to: string;
      readonly epoch: number;
      readonly position: Checkpoint | undefined;
      readonly status: WatchStatus;
      readonly missed: readonly Told<A>[] | undefined;
    }
  | { readonly kind: 'told'; readonly epoch: number; readonly told: Told<A> }
  /** The leader is there. */
  | { readonly kind: 'beat'; readonly epoch: number };

/** A status as it can be cloned: an error keeps its fields, among them the `_tag` by which the guards know it. */
export function cloneable(status: WatchStatus): WatchStatus {
  const { error } = status;
  if (!(error instanceof Error)) return status;
  const { name, message } = error;
  const fields = JSON.parse(JSON.stringify(Object.assign({}, error))) as object;
  return { ...status, error: { ...fields, name, message } };
}

/** A status as it came: what was an error is one again. */
export function revived(status: WatchStatus): WatchStatus {
  const { message } = Object(status.error) as { readonly message?: unknown };
  return typeof message === 'string'
    ? { ...status, error: Object.assign(new Error(message), status.error) }
    : status;
}
