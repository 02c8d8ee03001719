import { map } from 'rxjs';
import { recovery, watchSignals, type Poll, type Recovery } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { load } from './peers.js';
import type { Entry, Peer } from './peers-protocol.js';

/** Where a client puts what it gets. */
export interface Sink {
  entries(entries: readonly Entry[]): void;
  /** It says that something may have been missed, or comes again. */
  sign(what: string): void;
  /** It will never ask again. */
  ended(why: string): void;
}

/** The token of each request, which has to be renewed after a 401. */
export interface TokenSource {
  readonly current: () => string;
  readonly renew: () => void;
}

/** Follows the log at a URL, for ever or until the signal is aborted. */
export type Follow = (url: string, sink: Sink, token: TokenSource, stop?: AbortSignal) => void;

/** An answer that is not 2xx. */
class HttpError extends Error {
  readonly status: number;
  /** What `Retry-After` asks for, in ms. */
  readonly retryAfter: number | undefined;
  readonly isJson: boolean;

  constructor(status: number, header: (name: string) => string | null) {
    super(`HTTP ${status}`);
    this.status = status;
    const after = header('retry-after');
    const seconds = Number(after);
    const ms = Number.isNaN(seconds) ? Date.parse(after ?? '') - Date.now() : seconds * 1_000;
    this.retryAfter = after === null ? undefined : Math.max(0, ms);
    this.isJson = header('content-type')?.includes('json') ?? false;
  }
}

interface LogAnswer {
  readonly entries: readonly Entry[];
  readonly watch: { readonly index: string; readonly log?: string };
}

/**
 * What each answer means: the row of docs/any-service.md. Only a 410 of the service itself refuses
 * an index.
 */
function meaningOf(error: unknown): Recovery {
  if (!(error instanceof HttpError)) return recovery(error);
  const { status, retryAfter, isJson } = error;
  if (status === 410 && isJson) return { kind: 'index' };
  return { kind: 'retry', mayBeCut: status !== 500, retryAfter };
}

function follow(poll: Poll<LogAnswer>, sink: Sink, stop: AbortSignal | undefined): void {
  const following = watchSignals(poll, {
    read: ({ entries, watch: { index, log } }) => ({ index, handle: log, isEmpty: entries.length === 0 }),
    recovery: meaningOf,
  }).subscribe({
    next: signal => {
      if (signal.kind === 'answer') sink.entries(signal.answer.entries);
      if (signal.kind === 'gap') sink.sign(signal.gap.reason);
    },
    error: (error: unknown) => sink.ended(String(error)),
    complete: () => sink.ended('complete'),
  });
  stop?.addEventListener('abort', () => following.unsubscribe());
}

const followByFetch: Follow = (url, sink, token, stop) => {
  follow(
    async (index, { signal }) => {
      const headers = { authorization: `Bearer ${token.current()}` };
      const response = await fetch(index === undefined ? url : `${url}?since=${index}`, { signal, headers });
      if (response.status === 401) token.renew();
      if (!response.ok) throw new HttpError(response.status, name => response.headers.get(name));
      return (await response.json()) as LogAnswer;
    },
    sink,
    stop,
  );
};

const transport = fromHttp();

/** Each request that `fromHttp()` sends is an Observable, which `watch` takes as it is. */
const followByHttp: Follow = (url, sink, token, stop) => {
  follow(
    (index, { onArrival, needsFreshConnection }) => {
      const headers = { authorization: `Bearer ${token.current()}` };
      const target = index === undefined ? url : `${url}?since=${index}`;
      const request = { method: 'GET', url: target, headers, onArrival, needsFreshConnection } as const;
      return transport({ ...request, kind: 'poll' }).pipe(
        map(({ status, headers, text }) => {
          if (status === 401) token.renew();
          if (status > 299) throw new HttpError(status, name => headers.get(name));
          return JSON.parse(text) as LogAnswer;
        }),
      );
    },
    sink,
    stop,
  );
};

/** The part of Electric's client that is used. */
interface Electric {
  readonly ShapeStream: new (options: object) => {
    subscribe(
      onMessages: (messages: readonly ElectricMessage[]) => void,
      onError: (error: unknown) => void,
    ): void;
  };
}

interface ElectricMessage {
  readonly headers: { readonly control?: string };
  readonly value?: Entry;
}

const followByElectric: Follow = (url, sink, token, stop) => {
  const { ShapeStream } = load('@electric-sql/client') as Electric;
  const stream = new ShapeStream({
    url,
    signal: stop,
    params: { table: 'events' },
    headers: { authorization: () => `Bearer ${token.current()}` },
    // Its documentation says to return this in order to go on.
    onError: (error: unknown) => {
      renewIfUnauthorized(error, token);
      return {};
    },
  });
  stream.subscribe(
    messages => {
      for (const { headers } of messages) {
        if (headers.control === 'must-refetch') sink.sign('must-refetch');
      }
      sink.entries(messages.flatMap(({ value }) => (value === undefined ? [] : [value])));
    },
    error => sink.ended(String(error)),
  );
};

/** The part of the client of Durable Streams that is used. */
interface DurableStreams {
  readonly stream: (options: object) => Promise<{
    subscribeJson(onBatch: (batch: { readonly items: readonly Entry[] }) => void): void;
    readonly closed: Promise<void>;
  }>;
}

const followByDurableStreams: Follow = (url, sink, token, stop) => {
  const { stream } = load('@durable-streams/client') as DurableStreams;
  const following = async () => {
    const response = await stream({
      url,
      offset: 'now',
      live: 'long-poll',
      warnOnHttp: false,
      signal: stop,
      headers: { authorization: () => `Bearer ${token.current()}` },
      // As for Electric.
      onError: (error: unknown) => {
        renewIfUnauthorized(error, token);
        return {};
      },
    });
    response.subscribeJson(({ items }) => sink.entries(items));
    await response.closed;
    return 'closed';
  };
  following().then(
    why => sink.ended(why),
    (error: unknown) => sink.ended(String(error)),
  );
};

function renewIfUnauthorized(error: unknown, token: TokenSource): void {
  if ((error as { readonly status?: number }).status === 401) token.renew();
}

export const FOLLOWS: Readonly<Record<Peer, Follow>> = {
  watch: followByFetch,
  'watch over node:http': followByHttp,
  '@electric-sql/client': followByElectric,
  '@durable-streams/client': followByDurableStreams,
};
