import type { PolledService } from '../../stream/index.js';
import { hasStatus, sender, type ServiceRequestConfig } from './service-request.js';

/** An answer of `_changes`. */
export interface CouchChanges {
  readonly results: readonly CouchChange[];
  readonly last_seq: string | number;
  /** Where the changes end, if that is before the index. */
  readonly end?: string | number;
}

/** A change of a document. */
export interface CouchChange {
  readonly seq: string | number;
  readonly id: string;
  readonly changes: readonly { readonly rev: string }[];
  readonly deleted?: boolean;
  /** With `include_docs=true` in the query. */
  readonly doc?: unknown;
}

/** The options of {@link couchChanges}. */
export interface CouchChangesConfig extends ServiceRequestConfig {
  /** Further parameters of `_changes`, such as `include_docs=true`. */
  readonly query?: string;
}

/**
 * The changes of a CouchDB database, by `_changes?feed=longpoll`. Starts from now, or from the
 * beginning with `from: '0'`. Before each poll, it asks where the database ends. So one that was
 * created again is noticed, with a gap (`index_backwards`, or `index_rejected` after a 404).
 *
 * @example
 * watch(couchChanges('http://127.0.0.1:5984/db')).subscribe(({ results }) => show(results));
 */
export function couchChanges(url: string, config: CouchChangesConfig = {}): PolledService<CouchChanges> {
  const send = sender(config);
  const more = config.query ? `&${config.query}` : '';
  return {
    poll: async (index, { signal }) => {
      const { update_seq } = (await (await send({ url, signal })).json()) as {
        readonly update_seq: string | number;
      };
      if (index === undefined) return { results: [], last_seq: update_seq };
      if (isOlderSeq(String(update_seq), index)) return { results: [], last_seq: index, end: update_seq };
      const changes = `${url}/_changes?feed=longpoll&since=${encodeURIComponent(index)}${more}`;
      return (await (await send({ url: changes, signal })).json()) as CouchChanges;
    },
    read: ({ results, last_seq, end }) => ({ index: last_seq, isEmpty: results.length === 0, end }),
    isOlder: isOlderSeq,
    isGone: error => hasStatus(error, 404),
  };
}

/** A sequence begins with a number. In a cluster, an opaque text follows. */
function isOlderSeq(seq: string, than: string): boolean {
  return Number.parseInt(seq) < Number.parseInt(than);
}
