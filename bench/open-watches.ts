import { roundsOf, type Rounds } from './measure.js';
import { bounded, type Bound, type Report } from './report.js';
import { checkOpenFiles, watchCost, type WatchCost, type WatchKind } from './watch-cost.js';

/**
 * In how many rounds each kind is measured. All begin with the first round, so that each has a loop
 * by hand beside it.
 */
type WatchPlan = Partial<Record<WatchKind, number>> & { readonly byHand: number };

const NAMES: Record<WatchKind, string> = {
  byHand: 'cross-fetch loops, by hand',
  byHttp: 'http.get loops, by hand',
  batches: 'client.events.batches(), one client',
  overHttp: 'client.events.batches(), one client with fromHttp()',
  clients: 'a feed and a client each, one transport',
  clientsOfTheirOwn: 'a feed, a client and a transport each',
  official: 'the official client in loops',
};

type Measure = keyof WatchCost;
type Bounds = Partial<Record<WatchKind, Bound>>;
const MEASURES: Record<Measure, { readonly text: string; readonly unit: string; readonly bounds: Bounds }> = {
  heap: {
    text: 'heap',
    unit: 'KB',
    bounds: { batches: 2.35, overHttp: 1.9, clients: 2.8 },
  },
  rss: { text: 'resident memory', unit: 'KB', bounds: {} },
  start: {
    text: 'CPU to start',
    unit: 'µs',
    bounds: { batches: [2.6, 2], overHttp: [2.4, 1.5], clients: [3.2, 2.4] },
  },
  event: {
    text: 'CPU of an event to all',
    unit: 'µs',
    bounds: { batches: [2.6, 1.7], overHttp: [2.4, 1.5], clients: [2.6, 2] },
  },
  idle: { text: 'CPU of a second without events', unit: 'µs', bounds: {} },
};

/**
 * What thousands of polls that wait cost the process that holds them, with the transport that most
 * programs have.
 */
export async function benchOpenWatches(report: Report, count: number): Promise<void> {
  await compareWatches(report, count, { byHand: 5, batches: 5, clients: 3 });
}

/**
 * The same with node:http, with a transport for each, and with the official client. It is a part of
 * its own because all kinds together take minutes. What is only reported needs one round.
 */
export async function benchOtherWatches(report: Report, count: number): Promise<void> {
  const plan = { byHand: 3, byHttp: 3, overHttp: 3, clientsOfTheirOwn: 1, official: 1 };
  await compareWatches(report, count, plan);
}

/** Compares kinds of watches, each in fresh processes. */
async function compareWatches(report: Report, count: number, plan: WatchPlan): Promise<void> {
  checkOpenFiles(count);
  const kinds = Object.keys(plan) as WatchKind[];
  const costs = new Map(kinds.map(kind => [kind, [] as WatchCost[]]));
  for (let round = 0; round < plan.byHand; round++) {
    for (const kind of round % 2 === 0 ? kinds : [...kinds].reverse()) {
      if (round < plan[kind]!) costs.get(kind)!.push(await watchCost(kind, count, round === 0));
    }
  }
  report.heading(`${count.toLocaleString('en')} open watches, each; × is beside the loops by hand`);
  for (const measure of Object.keys(MEASURES) as Measure[]) {
    const figures = kinds.map(kind => [kind, figuresOf(costs.get(kind)!, measure)] as const);
    const rounds = roundsOf(Object.fromEntries(figures) as Record<WatchKind, number[]>);
    add(report, measure, rounds);
    addBesideHttp(report, measure, rounds);
  }
}

/** What it takes beside the same on `http.get`. */
function addBesideHttp(report: Report, measure: Measure, rounds: Rounds<WatchKind>): void {
  if (!rounds.names.includes('byHttp') || measure === 'idle') return;
  report.add({
    name: `${MEASURES[measure].text}, ${NAMES.overHttp}; × is beside http.get loops`,
    value: rounds.median('overHttp'),
    unit: MEASURES[measure].unit,
    ratio: rounds.ratio('overHttp', 'byHttp'),
    ...bounded(measure === 'event' ? 2.8 : undefined),
  });
}

/** What was not measured in a round is left out. */
function figuresOf(costs: readonly WatchCost[], measure: Measure): number[] {
  return costs.map(cost => cost[measure]).filter(figure => !Number.isNaN(figure));
}

/** Here each other kind is compared with what is written by hand. */
function add(report: Report, measure: Measure, rounds: Rounds<WatchKind>): void {
  const { text, unit, bounds } = MEASURES[measure];
  for (const kind of rounds.names) {
    const figure = { name: `${text}, ${NAMES[kind]}`, value: rounds.median(kind), unit };
    // Nothing is done then, and the ratio of two figures near zero would say nothing.
    if (kind === 'byHand' || measure === 'idle') report.add(figure);
    else report.add({ ...figure, ratio: rounds.ratio(kind, 'byHand'), ...bounded(bounds[kind]) });
  }
}
