// Runs in a page: follows the events of an identity, and shows the test what came.
import { createClient, integer, type Checkpoint, type EventFeed, type FeedConfig } from 'lobby-rx';
import { acrossTabs, whileAlive } from 'lobby-rx/browser';

/** What a test reads in a page. */
export interface Followed {
  readonly events: string[];
  /** The events of the kinds that its deployment declares. */
  readonly declared: string[];
  readonly gaps: string[];
  readonly states: string[];
  isLeading: boolean;
  /** How long a plain request takes, in ms. */
  readonly ping: () => Promise<number>;
}

const given = new URLSearchParams(location.search);
const kinds = (given.get('kinds') ?? '').split(',').filter(kind => kind !== '');
const client = createClient({
  url: given.get('url') ?? '',
  token: given.get('token') ?? '',
  kinds: Object.fromEntries(kinds.map(kind => [kind, integer])),
});
const followed: Followed = {
  events: [],
  declared: [],
  gaps: [],
  states: [],
  isLeading: false,
  ping: () => {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      client.events.watch().subscribe({ next: () => resolve(performance.now() - start), error: reject });
    });
  },
};
const tabs = acrossTabs('events of Ada');
tabs.leads$.subscribe(leads => {
  followed.isLeading = leads;
});
const saved = sessionStorage.getItem('checkpoint');
const configs: Readonly<Record<string, FeedConfig>> = {
  tabs: { share: tabs },
  alive: { share: whileAlive },
  saved: {
    share: whileAlive,
    from: saved === null ? undefined : (JSON.parse(saved) as Checkpoint),
    ack: (_, checkpoint) => sessionStorage.setItem('checkpoint', JSON.stringify(checkpoint)),
  },
  alone: {},
};
const feed = client.events.createFeed(configs[given.get('sharing') ?? 'tabs']);
feed.gap$.subscribe(({ reason }) => followed.gaps.push(reason));
feed.status$.subscribe(({ state }) => followed.states.push(state));
for (const kind of kinds) {
  const ownFeed = feed as EventFeed<Record<string, number>>;
  ownFeed.on(kind).subscribe(event => followed.declared.push(event.kind));
}
feed.unknown$.subscribe(({ name }) => followed.events.push(name));
Object.assign(globalThis, { followed });
