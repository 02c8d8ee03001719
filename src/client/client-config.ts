import type { SchedulerLike } from 'rxjs';
import type { Endpoints } from '../endpoint/index.js';
import type { EventCodecs, NoOwnEvents } from '../protocol/index.js';
import type { BackoffConfig, WatchConfig, WatchLogEntry } from '../stream/index.js';
import type { RequestLogEntry, Token, Transport } from '../transport/index.js';

/** One entry of a client's log: about a request (it has a `requestId`), or about a watch (it has a `watchId`). */
export type LogEntry = RequestLogEntry | WatchLogEntry;

/** What `createClient` takes: where the service is, and the token. Everything else is optional. */
export interface ClientConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** The base URL of all three services, if they share one. It may have a path. */
  readonly url?: string;
  /** {group_url} of the interface document. Default: `url`. A URL that is not used need not be given. */
  readonly groupUrl?: string;
  /** {matchmaker_url} of the interface document. Default: `url`. */
  readonly matchmakerUrl?: string;
  /** {api_url} of the interface document. Default: `url`. */
  readonly apiUrl?: string;
  /** The bearer token of an identity, or of a lobby; or a function that is called for it before each request. */
  readonly token: Token;
  /**
   * Endpoints in place of the service's own, of the same input and answer: for servers with other paths. Everything that
   * uses an endpoint (roster, feed, gate) then uses yours.
   */
  readonly endpoints?: Partial<Endpoints>;
  /**
   * Codecs of event kinds of your own, by their names on the wire. They become members of `LiveEvent`, with the decoded
   * value as `payload`: `feed.on('chat_message')`.
   */
  readonly events?: Codecs;
  /** Allows plain http: to a host that is not this machine. Default false: it would show the token to everyone. */
  readonly insecure?: boolean;
  /** How long a plain request may take, in ms. Default 15,000. */
  readonly deadline?: number;
  /** How watches poll, unless a call says otherwise. `wake$` is `clockJumps()` by default. */
  readonly watch?: Pick<WatchConfig<unknown>, 'wake$' | 'deadline' | 'minInterval' | 'burst' | 'retention'>;
  /** How long watches wait after a failure. */
  readonly backoff?: BackoffConfig;
  /** How long a shared feed goes on after its last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** How requests are carried. Default `fromFetch()`. */
  readonly transport?: Transport;
  /** Called with each request and each decision of a watch, without tokens. Errors are swallowed. */
  readonly log?: (entry: LogEntry) => void;
  /** A number from 0 up to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
