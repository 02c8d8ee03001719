import type { PolledService, PollSignal } from '../../stream/index.js';
import { fromBase64, toBase64 } from './base64.js';
import { linesOf } from './lines-of.js';
import { sender, type ServiceRequestConfig } from './service-request.js';

/** What was written, in order. */
export interface EtcdChanges {
  readonly changes: readonly EtcdChange[];
  /** The revision for the next poll. It is a text, since it may have 64 bits. */
  readonly next: string;
  /** The revision after the last one, if that is before the index. */
  readonly end?: string;
}

/** A write to a key. */
export interface EtcdChange {
  readonly key: string;
  /** `undefined` if the key was deleted. */
  readonly value: string | undefined;
  readonly revision: string;
}

/** The options of {@link etcdKey}. */
export interface EtcdKeyConfig extends ServiceRequestConfig {
  /** Whether to follow all keys that begin with `key`. Default false. */
  readonly isPrefix?: boolean;
}

/** A line of the endless answer to a watch. */
interface WatchLine {
  readonly error?: { readonly message?: string };
  readonly result?: {
    readonly created?: boolean;
    readonly canceled?: boolean;
    readonly header: { readonly revision: string };
    readonly events?: readonly {
      readonly kv: { readonly key: string; readonly value?: string; readonly mod_revision: string };
    }[];
  };
}

/** etcd has compacted the revision. */
class Compacted extends Error {
  override readonly name = 'Compacted';
}

/** After this time without a change, in ms, a poll has no news. */
const HOLD_MS = 50_000;

/**
 * The writes to a key of etcd, by its third API in JSON. Starts from now. A compacted revision is a
 * gap (`index_rejected`). If etcd was wiped, or restored from a snapshot, there is a gap
 * (`index_backwards`), as soon as a poll finds that the revision is ahead of its log.
 *
 * @example
 * watch(etcdKey('http://127.0.0.1:2379', 'game/', { isPrefix: true })).subscribe(show);
 */
export function etcdKey(
  url: string,
  key: string,
  { isPrefix = false, ...config }: EtcdKeyConfig = {},
): PolledService<EtcdChanges> {
  const send = sender(config);
  const range = { key: toBase64(key), ...(isPrefix && { range_end: toBase64(afterPrefix(key)) }) };
  const post = (path: string, body: object, signal: PollSignal) =>
    send({ url: `${url}/v3/${path}`, body, signal });
  /** The next revision, as most members of a cluster know it. */
  const nextRevision = async (signal: PollSignal) => {
    const response = await post('kv/range', { ...range, count_only: true }, signal);
    return revisionAfter(((await response.json()) as WatchLine['result'] & object).header.revision);
  };
  return {
    poll: async (index, { signal }) => {
      if (index === undefined) return { changes: [], next: await nextRevision(signal) };
      const watching = { create_request: { ...range, start_revision: index } };
      for await (const line of linesOf(await post('watch', watching, signal), HOLD_MS)) {
        const { error, result } = JSON.parse(line) as WatchLine;
        if (error || !result) throw new Error(error?.message ?? 'a line of etcd without a result');
        if (result.canceled) throw new Compacted();
        // This member may only be behind the others.
        if (result.created && isBefore(revisionAfter(result.header.revision), index)) {
          const end = await nextRevision(signal);
          if (isBefore(end, index)) return { changes: [], next: index, end };
        }
        const changes = (result.events ?? []).map(({ kv }) => ({
          key: fromBase64(kv.key),
          value: kv.value === undefined ? undefined : fromBase64(kv.value),
          revision: kv.mod_revision,
        }));
        const last = changes.at(-1);
        if (last) return { changes, next: revisionAfter(last.revision) };
      }
      return { changes: [], next: index };
    },
    read: ({ changes, next, end }) => ({ index: next, isEmpty: changes.length === 0, end }),
    isGone: error => error instanceof Compacted,
  };
}

function revisionAfter(revision: string): string {
  return String(BigInt(revision) + 1n);
}

function isBefore(revision: string, other: string): boolean {
  return BigInt(revision) < BigInt(other);
}

/** The first text that does not begin with a prefix. */
function afterPrefix(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}
