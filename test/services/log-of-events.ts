import { deepStrictEqual } from 'node:assert';
import { until } from './server.js';

/** The last event to send, which equals no other. */
export const LAST = 'last';

/** How many events a test sends. */
const COUNT = 300;

/** Events to send. Every third equals the one before. */
export function eventsToSend(): readonly string[] {
  const events = Array.from({ length: COUNT - 1 }, (_, i) => `v${i % 3 === 2 ? i - 1 : i}`);
  return [...events, LAST];
}

/** What a subscriber has got: an event, or a gap with its reason. */
export type Seen = { readonly event: string } | { readonly gap: string };

/**
 * What is lost, doubled or out of order, and not after a gap. Events may equal each other, so that
 * all places are kept at which
 * the subscriber may be. After a gap that is anywhere.
 */
export function unexplained(sent: readonly string[], seen: readonly Seen[]): readonly string[] {
  const faults: string[] = [];
  const anywhere = Array.from({ length: sent.length + 1 }, (_, place) => place);
  let places: readonly number[] = [0];
  for (const each of seen) {
    if ('gap' in each) {
      places = anywhere;
      continue;
    }
    const next = places.filter(place => sent[place] === each.event).map(place => place + 1);
    if (next.length === 0) faults.push(`${each.event} comes where ${sent[places[0]!] ?? 'nothing'} is next`);
    places = next.length === 0 ? [sent.indexOf(each.event) + 1] : next;
  }
  if (!places.includes(sent.length)) faults.push(`${sent[places[0]!]} and what follows did not come`);
  return faults;
}

/** The events among what a subscriber has got. */
export function eventsOf(seen: readonly Seen[]): readonly string[] {
  return seen.flatMap(each => ('event' in each ? [each.event] : []));
}

/** The reasons of the gaps among what a subscriber has got. */
export function gapsOf(seen: readonly Seen[]): readonly string[] {
  return seen.flatMap(each => ('gap' in each ? [each.gap] : []));
}

/**
 * Writes events before and after `setBack`, which wipes or restores the log. Expects that a watch
 * sees all of them, with one gap.
 */
export async function expectOneGap(
  { seen, stop }: { readonly seen: readonly Seen[]; readonly stop: () => void },
  write: (event: string) => Promise<unknown>,
  setBack: () => Promise<void>,
): Promise<void> {
  const before = Array.from({ length: 8 }, (_, i) => `old${i}`);
  for (const event of before) await write(event);
  await until(() => seen.length === before.length, 'all before');
  await setBack();
  await until(() => gapsOf(seen).length > 0, 'the gap');
  const after = Array.from({ length: 12 }, (_, i) => `new${i}`);
  for (const event of after) await write(event);
  await until(() => eventsOf(seen).includes('new11'), 'the last of them');
  stop();
  deepStrictEqual([eventsOf(seen), gapsOf(seen)], [[...before, ...after], ['index_backwards']]);
}
