import {
  createClient,
  eventsWatch,
  type Checkpoint,
  type Client,
  type Gap,
  type LiveEvent,
  type LogEntry,
  type Transport,
  type WatchConfig,
} from 'lobby-rx';
import {
  EMPTY,
  mergeMap,
  repeat,
  Subscription,
  take,
  throwError,
  timer,
  type Observable,
  takeUntil,
} from 'rxjs';
import type { Clocks } from './clocks.js';
import type { Journal } from './journal.js';

/**
 * Who follows the events.
 *
 * - `signals`: all signals of a watch.
 * - `batches`: whole answers. With `ack`, each is acknowledged after `time` ms; `fails` says which
 *   calls fail, by their number. At each moment of `crashes` it begins again from its last
 *   checkpoint.
 * - `feed`: the events of a feed one by one, with `visit` only so many at a time. It is away in the
 *   `absences`.
 */
export type SubscriberConfig =
  | { readonly kind: 'signals' }
  | {
      readonly kind: 'batches';
      readonly ack?: {
        readonly time: number;
        readonly fails?: (call: number) => boolean;
        readonly crashes?: readonly number[];
      };
    }
  | {
      readonly kind: 'feed';
      readonly linger: number;
      readonly ack: boolean;
      readonly absences: readonly { readonly from: number; readonly to: number }[];
      readonly visit?: number | undefined;
    };

/** Where a subscriber lives. */
export interface Surroundings {
  readonly clocks: Clocks;
  readonly journal: Journal;
  readonly transport: Transport;
  readonly random: () => number;
  readonly wake$: Observable<unknown>;
  readonly end$: Observable<unknown>;
  readonly log: (entry: LogEntry) => void;
  /** Default: the client's. */
  readonly retention?: number | undefined;
}

/**
 * Subscribes, until `end$` emits, and writes down what comes. Whose linger is longer than that is
 * open until the client is closed.
 */
export function subscribe(config: SubscriberConfig, surroundings: Surroundings): Client {
  const { clocks, transport, random, wake$, log } = surroundings;
  const client = createClient({
    url: 'https://service.test',
    token: 'token',
    transport,
    log,
    scheduler: clocks.client,
    testing: { random, monotonic: clocks.monotonic },
  });
  const { retention } = surroundings;
  const watch = { wake$, ...(retention !== undefined && { retention }) };
  switch (config.kind) {
    case 'signals':
      followSignals(client, watch, surroundings);
      break;
    case 'batches':
      followBatches(client, watch, config, surroundings);
      break;
    case 'feed':
      followFeed(client, watch, config, surroundings);
      break;
  }
  return client;
}

type Watch = Pick<WatchConfig<never>, 'wake$' | 'retention'>;

function followSignals(client: Client, watch: Watch, { journal, end$ }: Surroundings): void {
  client
    .watchSignals(eventsWatch, {}, watch)
    .pipe(takeUntil(end$))
    .subscribe({
      next: signal => {
        if (signal.kind === 'gap') journal.add({ kind: 'gap', reason: signal.gap.reason });
        else if (signal.kind === 'status') journal.add({ kind: 'status', state: signal.status.state });
        else if (signal.kind === 'answer')
          journal.add({ kind: 'delivered', ids: idsOf(signal.answer.events) });
      },
      error: (error: unknown) => journal.add({ kind: 'ended', error }),
    });
}

function followBatches(
  client: Client,
  watch: Watch,
  { ack }: Extract<SubscriberConfig, { kind: 'batches' }>,
  { clocks, journal, end$ }: Surroundings,
): void {
  let calls = 0;
  let checkpoint: WatchConfig<never>['from'];
  const acknowledge = (next: Checkpoint, gap: Gap | undefined, { time, fails }: NonNullable<typeof ack>) => {
    if (gap) journal.add({ kind: 'gap in ack' });
    const isFailure = fails?.(++calls) ?? false;
    return timer(time, clocks.client).pipe(
      mergeMap(() => {
        journal.add({ kind: isFailure ? 'not acknowledged' : 'acknowledged' });
        if (isFailure) return throwError(() => new Error('not saved'));
        checkpoint = next;
        return EMPTY;
      }),
    );
  };
  const start = () =>
    client.events
      .batches({
        ...watch,
        from: checkpoint,
        log: entry => {
          if (entry.kind === 'gap') journal.add({ kind: 'gap', reason: entry.reason });
        },
        ...(ack && { ack: (_batch: unknown, next: Checkpoint, gap?: Gap) => acknowledge(next, gap, ack) }),
      })
      .pipe(takeUntil(end$))
      .subscribe({
        next: ({ events }) => journal.add({ kind: 'delivered', ids: idsOf(events) }),
        error: (error: unknown) => journal.add({ kind: 'ended', error }),
      });
  let running = start();
  for (const at of ack?.crashes ?? []) {
    clocks.client.schedule(() => {
      running.unsubscribe();
      journal.add({ kind: 'resumed' });
      running = start();
    }, at);
  }
}

function followFeed(
  client: Client,
  watch: Watch,
  { linger, ack, absences, visit }: Extract<SubscriberConfig, { kind: 'feed' }>,
  { clocks, journal, end$ }: Surroundings,
): void {
  const feed = client.events.createFeed({
    ...watch,
    linger,
    ...(ack && { ack: () => journal.add({ kind: 'acknowledged' }) }),
  });
  feed.gap$.subscribe(({ reason }) => journal.add({ kind: 'gap', reason }));
  const visits$ = visit === undefined ? feed.all$ : feed.all$.pipe(take(visit), repeat());
  const come = () =>
    visits$.pipe(takeUntil(end$)).subscribe({
      next: event => journal.add({ kind: 'delivered', ids: idsOf([event]) }),
      error: (error: unknown) => journal.add({ kind: 'ended', error }),
    });
  let present: Subscription = come();
  for (const { from, to } of absences) {
    clocks.client.schedule(() => {
      present.unsubscribe();
      journal.add({ kind: 'left' });
    }, from);
    clocks.client.schedule(() => {
      journal.add({ kind: 'back' });
      present = come();
    }, to);
  }
}

function idsOf(events: readonly LiveEvent[]): readonly number[] {
  return events.map(event => (event.kind === 'unknown' ? (event.payload as { id: number }).id : NaN));
}
