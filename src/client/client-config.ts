import type { SchedulerLike } from 'rxjs';
import type { LogEntry } from '../protocol/index.js';
import type { BackoffConfig, WatchConfig } from '../stream/index.js';
import type { Token, Transport } from '../transport/index.js';

/** What {@link createClient} takes: the addresses and the token; all else is optional. */
export interface ClientConfig {
  /** {group_url} of the interface document. It may carry a path. */
  readonly groupUrl: string;
  /** {matchmaker_url} of the interface document. It may carry a path. */
  readonly matchmakerUrl: string;
  /** {api_url} of the interface document. It may carry a path. */
  readonly apiUrl: string;
  /** The bearer token of an identity, or of a lobby; or a function that is asked for it before each request. */
  readonly token: Token;
  /** Allows plain http: to a host that is not this machine. Default false: it would show the token to everyone. */
  readonly insecure?: boolean;
  /** How long a plain request may take, in ms. Default 15,000. */
  readonly deadline?: number;
  /** How watches go about their polls, where a call does not say so itself. `wake$` is `clockJumps()` by default. */
  readonly watch?: Pick<WatchConfig<unknown>, 'wake$' | 'deadline' | 'minInterval' | 'burst' | 'retention'>;
  /** How long watches wait after a failure. */
  readonly backoff?: BackoffConfig;
  /** How long a shared feed goes on after its last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** How requests are carried. Default `fromFetch()`. */
  readonly transport?: Transport;
  /** Is told of each request and of each decision of a watch, without tokens; what it throws is ignored. */
  readonly log?: (entry: LogEntry) => void;
  /** A number from 0 up to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
