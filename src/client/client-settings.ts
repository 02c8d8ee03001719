import { asyncScheduler, type SchedulerLike } from 'rxjs';
import type { Wire } from '../endpoint/index.js';
import {
  checkArgument,
  describe,
  InputError,
  jsonObject,
  milliseconds,
  refuseStrangers,
} from '../protocol/index.js';
import { clockJumps, type EventFeedConfig, type WatchConfig } from '../stream/index.js';
import { fromFetch, tokenFlaw, withDeadline, withLog, withToken } from '../transport/index.js';
import { baseUrl } from './base-url.js';
import type { ClientConfig } from './client-config.js';

const KNOWN_OF_WATCH = ['wake$', 'deadline', 'minInterval', 'burst', 'retention'];

/** A {@link ClientConfig}, checked and put together. */
export interface ClientSettings {
  /** For requests that are answered at once. */
  readonly plain: Wire;
  /** For single requests that block, since they carry an index. */
  readonly blocking: Wire;
  /** For the polls of a watch, which keeps their deadline itself. */
  readonly polling: Wire;
  readonly watch: WatchConfig<unknown>;
  readonly feed: EventFeedConfig;
  readonly scheduler: SchedulerLike;
}

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function clientSettings(config: ClientConfig): ClientSettings {
  checkArgument('config', jsonObject, config);
  refuseStrangers(config.watch ?? {}, KNOWN_OF_WATCH, 'watch.');
  refuseStrangers(config.backoff ?? {}, ['initial', 'max'], 'backoff.');
  const { insecure = false, deadline = 15_000, scheduler = asyncScheduler } = config;
  const baseUrls = {
    group: baseUrl('groupUrl', config.groupUrl, insecure),
    matchmaker: baseUrl('matchmakerUrl', config.matchmakerUrl, insecure),
    api: baseUrl('apiUrl', config.apiUrl, insecure),
  };
  checkToken(config.token);
  checkArgument('deadline', milliseconds, deadline);

  const { log, transport = fromFetch({ scheduler }) } = config;
  if (typeof transport !== 'function') {
    throw new InputError(
      'transport',
      'a function from a request to an Observable, as fromFetch() makes one',
      describe(transport),
    );
  }
  const logged = log ? withLog(transport, log, () => scheduler.now()) : transport;
  const authorized = withToken(logged, config.token, { scheduler });
  const wire = (transport = authorized): Wire => ({ transport, baseUrls, now: () => scheduler.now() });
  const { random, backoff, linger } = config;
  return {
    plain: wire(withDeadline(authorized, deadline, scheduler)),
    blocking: wire(withDeadline(authorized, config.watch?.deadline ?? 70_000, scheduler)),
    polling: wire(),
    watch: {
      scheduler,
      wake$: clockJumps({ scheduler }),
      ...(log && { log }),
      ...(random && { random }),
      ...(backoff && { backoff }),
      ...config.watch,
    },
    scheduler,
    feed: { scheduler, ...(linger !== undefined && { linger }) },
  };
}

function checkToken(token: unknown): void {
  const flaw = typeof token === 'function' ? undefined : tokenFlaw(token);
  if (flaw) throw new InputError('token', 'a bearer token, or a function that gives one', flaw);
}
