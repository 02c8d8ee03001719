import { NEVER, Observable, of, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { createClient, eventFeed, type Transport } from 'lobby-rx';
import { createContext } from '../../src/client/context.js';
import { connectionSettings } from '../../src/player/lobby-connection-config.js';
import { watchSettings } from '../../src/stream/index.js';
import { transportOver } from '../../src/transport/transport-over.js';
import type { Receiver, Send } from '../../src/transport/send.js';
import { handle } from '../payload.js';
import { fakeSockets } from '../player/fake-gate.js';

const url = 'https://service.example';
const headers = { get: () => null };

/** An hour of virtual time. No default is longer. */
const HOUR_MS = 3_600_000;

/** The virtual times, in ms, at which `begin` calls back. */
function timesOf(begin: (scheduler: SchedulerLike, callBack: () => void) => void): readonly number[] {
  const scheduler = new VirtualTimeScheduler(undefined, HOUR_MS);
  const times: number[] = [];
  begin(scheduler, () => times.push(scheduler.now()));
  scheduler.flush();
  return times;
}

/** How long a plain request waits for its answer. */
function timeoutOfRequest(): number | undefined {
  return timesOf((scheduler, callBack) => {
    const { group } = createClient({ url, token: 't', transport: () => NEVER, scheduler });
    group.getMembers({ group_id: 'g' }).subscribe({ error: callBack });
  })[0];
}

/** How long a feed polls after its last subscriber has left. */
function lingerOfFeed(): number | undefined {
  return timesOf((scheduler, callBack) => {
    const feed = eventFeed(new Observable<never>(() => callBack), { scheduler });
    feed.all$.subscribe().unsubscribe();
  })[0];
}

/** How many members a roster requests per page. */
function countOfRoster(): number {
  let count = NaN;
  const transport: Transport = request => {
    count = Number(new URL(request.url).searchParams.get('count'));
    return NEVER;
  };
  const { group } = createClient({ url, token: 't', transport });
  group.roster('g').subscribe().unsubscribe();
  return count;
}

/** The time from the first reading of the second page of a group to the next. */
function refreshIntervalOfRoster(): number {
  const [first, second] = timesOf((scheduler, callBack) => {
    const transport: Transport = request => {
      const { searchParams } = new URL(request.url);
      if (searchParams.has('watch_index')) return NEVER;
      const isSecondPage = searchParams.has('anchor');
      if (isSecondPage) callBack();
      const identity_id = isSecondPage ? 'identity-2' : 'identity-1';
      const members = [{ identity: { ...handle, identity_id } }];
      const page = { members, anchor: isSecondPage ? undefined : 'a', watch: { index: '1' } };
      return of({ status: 200, headers, text: JSON.stringify(page) });
    };
    const { group } = createClient({ url, token: 't', transport, scheduler });
    scheduler.schedule(() => reading.unsubscribe(), HOUR_MS);
    const reading = group.roster('g').subscribe();
  });
  return second! - first!;
}

/** When a request fails whose answer begins at once and then comes as `answer` says. */
function failuresOf(answer: (receiver: Receiver) => void): readonly number[] {
  return timesOf((scheduler, callBack) => {
    const send: Send = (_request, receiver) => {
      receiver.onHead({ status: 200, headers });
      answer(receiver);
      return { abort: () => undefined };
    };
    transportOver(send, { scheduler })({ method: 'GET', url, headers: {} }).subscribe({ error: callBack });
  });
}

/** The size of the largest body that a transport accepts, in bytes. */
function maxBody(): number {
  const isTooLarge = (size: number) => failuresOf(receiver => receiver.onPart(new Uint8Array(size)))[0] === 0;
  let accepted = 0;
  let rejected = 2 ** 26;
  while (rejected - accepted > 1) {
    const size = Math.floor((accepted + rejected) / 2);
    if (isTooLarge(size)) rejected = size;
    else accepted = size;
  }
  return accepted;
}

/**
 * The default of each option that docs/design.md lists, as the library behaves without the option.
 */
export function observedDefaults(): Readonly<Record<string, number | undefined>> {
  const { timeout, minInterval, backoff } = watchSettings<never>({});
  const { WebSocket } = fakeSockets();
  const { heartbeat, queue } = connectionSettings({ url: 'ws://lobby.example', token: 't' }, { WebSocket });
  return {
    'ClientConfig.timeout': timeoutOfRequest(),
    'ClientWatchConfig.linger': createClient({ url, token: 't' }).linger,
    'ClientWatchConfig.quota': createContext({ url, token: 't' }).quota.quota,
    'ServiceConfig.timeout': timeout,
    'WatchConfig.minInterval': minInterval,
    'BackoffConfig.initial': backoff.initial,
    'BackoffConfig.max': backoff.max,
    'EventFeedConfig.linger': lingerOfFeed(),
    'BodyConfig.maxBody': maxBody(),
    'BodyConfig.bodyTimeout': failuresOf(() => undefined)[0],
    'BodyConfig.bodyIdleTimeout': failuresOf(receiver => receiver.onPart('a'))[0],
    'LobbyConnectionConfig.heartbeat': heartbeat,
    'LobbyConnectionConfig.queue': queue,
    'RosterConfig.count': countOfRoster(),
    'RosterConfig.refreshInterval': refreshIntervalOfRoster(),
  };
}
