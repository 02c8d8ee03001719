import type { SchedulerLike } from 'rxjs';
import type { Endpoints } from '../endpoint/index.js';
import type { EventCodecs, NoOwnEvents } from '../protocol/index.js';
import type { BackoffConfig, WatchConfig, WatchLogEntry } from '../stream/index.js';
import type { RequestLogEntry, Token, Transport } from '../transport/index.js';

/** An entry of a client's log: about a request (with a `requestId`) or about a watch (with a `watchId`). */
export type LogEntry = RequestLogEntry | WatchLogEntry;

/** The options of `createClient`. A URL and the token are required; everything else is optional. */
export interface ClientConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** The base URL of all three services, if they share one. It may include a path. */
  readonly url?: string;
  /** {group_url} of the interface document. Default: `url`. URLs of services that are not used may be omitted. */
  readonly groupUrl?: string;
  /** {matchmaker_url} of the interface document. Default: `url`. */
  readonly matchmakerUrl?: string;
  /** {api_url} of the interface document. Default: `url`. */
  readonly apiUrl?: string;
  /** The bearer token of an identity or a lobby, or a function that returns it and is called before each request. */
  readonly token: Token;
  /**
   * Replacements for built-in endpoints, with the same input and answer: for servers with other paths. Everything that uses
   * an endpoint (roster, feed, gate) then uses the replacement.
   */
  readonly endpoints?: Partial<Endpoints>;
  /**
   * Codecs of your own event kinds, by their names on the wire. These kinds become members of `LiveEvent`, with the decoded
   * value as `payload`. For example: `feed.on('chat_message')`.
   */
  readonly events?: Codecs;
  /** Allows plain http: to other machines. Default false, because it exposes the token to everyone on the network. */
  readonly insecure?: boolean;
  /** How long a request that does not block may take, in ms. Default 15,000. */
  readonly deadline?: number;
  /** Default options of all watches; a call can override them. `wake$` is `clockJumps()` by default. */
  readonly watch?: Pick<WatchConfig<unknown>, 'wake$' | 'deadline' | 'minInterval' | 'burst' | 'retention'>;
  /** How long watches wait after a failure; see `backoff`. */
  readonly backoff?: BackoffConfig;
  /** How long a feed keeps polling after its last subscriber has unsubscribed, in ms. Default 1,000. */
  readonly linger?: number;
  /** How requests are carried. Default `fromFetch()`. */
  readonly transport?: Transport;
  /** Called for each request and after each poll of a watch. Entries contain no tokens. Errors are swallowed. */
  readonly log?: (entry: LogEntry) => void;
  /** Returns a random number from 0 to 1, excluding 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
