import { defer, from, repeat, retry, tap } from 'rxjs';
import { createClient, type ClientConfig } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { followByHand, getBatch } from './hand-written.js';
import { compare, type Rounds } from './measure.js';
import { followOfficially, officialClient, rxPolling } from './peers.js';
import { bounded, type Bound, type Report } from './report.js';
import type { ServiceProcess } from './service-process.js';

/** Follows the events until it is stopped. */
export type Follower = (onEvents: (count: number) => void) => () => void;

export const FEED = 'lobby-rx, a feed';
export const OVER_HTTP = 'lobby-rx, a feed with fromHttp()';
export const BY_HAND = 'a loop by hand on cross-fetch';
export const POLLING = 'rx-polling, every millisecond';
export const OFFICIAL = 'the official client in a loop';

export function followByLoop(url: string): Follower {
  return onEvents => {
    const abort = new AbortController();
    followByHand(url, events => onEvents(events.length), abort.signal).catch(() => undefined);
    return () => abort.abort();
  };
}

export function followInBatches(url: string): Follower {
  return onEvents => {
    const { events } = createClient({ url, token: 't', watch: { quota: Infinity } });
    const following = events.batches().subscribe(({ events }) => onEvents(events.length));
    return () => following.unsubscribe();
  };
}

/** A feed, and what else follows the same events. */
export function followers(url: string): Record<string, Follower> {
  const official = officialClient(url);
  const polling = rxPolling();

  /** One poll as an Observable, which others repeat. */
  const poll = (onEvents: (count: number) => void) => {
    let index: string | undefined;
    return defer(() => from(getBatch(url, index))).pipe(
      tap(({ events, watch }) => {
        if (events.length > 0) onEvents(events.length);
        index = watch.index;
      }),
    );
  };
  const feedOf =
    (config: Partial<ClientConfig> = {}): Follower =>
    onEvents => {
      const { feed } = createClient({
        url,
        token: 't',
        watch: { linger: 0, quota: Infinity },
        ...config,
      }).events;
      const following = feed.all$.subscribe(() => onEvents(1));
      return () => following.unsubscribe();
    };
  return {
    [FEED]: feedOf(),
    [OVER_HTTP]: feedOf({ transport: fromHttp() }),
    [BY_HAND]: followByLoop(url),
    'rxjs by hand: defer, retry, repeat': onEvents => {
      const following = poll(onEvents)
        .pipe(retry({ delay: 1_000 }), repeat())
        .subscribe();
      return () => following.unsubscribe();
    },
    [POLLING]: onEvents => {
      const following = polling(poll(onEvents), 1).subscribe();
      return () => following.unsubscribe();
    },
    [OFFICIAL]: onEvents => {
      const abort = new AbortController();
      void followOfficially(
        official,
        events => onEvents(events.length),
        () => abort.signal.aborted,
      );
      return () => abort.abort();
    },
  };
}

/** The feed beside all others; what sends with node:http is beside the loop. */
export function compareFeeds(
  report: Report,
  rounds: Rounds<string>,
  bounds: Readonly<Record<string, Bound>>,
): void {
  compare(report, { ...rounds, names: rounds.names.filter(name => name !== OVER_HTTP) }, 'µs', bounds);
  const ratio = rounds.ratio(OVER_HTTP, BY_HAND);
  const figure = { name: `${OVER_HTTP}; × is beside the loop`, value: rounds.median(OVER_HTTP), unit: 'µs' };
  report.add({ ...figure, ratio, ...bounded(bounds[OVER_HTTP]) });
}

/** Stops a follower. Not all of them abort their last poll: it gets an event that no one takes. */
export async function endFollowing(service: ServiceProcess, stop: () => void): Promise<void> {
  stop();
  await service.publish(1, 1);
  await service.holds(0);
}
