// npm run record: follows an identity through an outage, by a loop and by lobby-rx, and draws what
// has come of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as t from 'io-ts';
import { distinctUntilKeyChanged } from 'rxjs';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';

const DOCS = join(import.meta.dirname, '../../docs');

/** When events happen, and when the service is away, in ms. */
const EVENTS = [600, 1_400, 2_200, 3_450, 4_450, 7_100, 7_900];
const AWAY = { from: 2_900, to: 5_500 };
const END_MS = 8_600;

/**
 * What has come of the events, by the number of each, and which requests have failed. All in ms.
 */
interface Lane {
  readonly received: Map<number, number>;
  readonly failed: number[];
}

const emulator = createEmulator({ collectTime: 20 });
const { identity_id, token } = emulator.addIdentity();
let service = await listen(emulator);
const { url, port } = service;
const start = performance.now();
const now = () => Math.round(performance.now() - start);

const loop: Lane = { received: new Map(), failed: [] };
const stream: Lane = { received: new Map(), failed: [] };

/** As it is written in a quarter of an hour; it does not even end at the first error. */
async function poll(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (let index = ''; now() < END_MS;) {
    try {
      const query = index && `?watch_index=${index}`;
      const response = await fetch(`${url}/identity/events/live${query}`, { headers });
      const { events, watch } = (await response.json()) as {
        events: { kind: { numbered: { number: number } } }[];
        watch: { index: string };
      };
      for (const { kind } of events) loop.received.set(kind.numbered.number, now());
      index = watch.index;
    } catch {
      loop.failed.push(now());
      index = '';
      await setTimeout(1_000);
    }
  }
}

const { feed } = createClient({
  url,
  token,
  watch: { backoff: { initial: 400, max: 800 } },
  kinds: { numbered: t.type({ number: t.number }) },
}).events;
const following = feed.on('numbered').subscribe(({ payload }) => {
  stream.received.set(payload.number, now());
});
following.add(
  feed.status$.pipe(distinctUntilKeyChanged('attempt')).subscribe(({ attempt }) => {
    if (attempt > 0) stream.failed.push(now());
  }),
);
void poll();

async function publish(): Promise<void> {
  for (const [number, at] of EVENTS.entries()) {
    await setTimeout(at - now());
    emulator.publish(identity_id, { numbered: { number } });
  }
}
async function goAway(): Promise<void> {
  await setTimeout(AWAY.from - now());
  await service.close();
  await setTimeout(AWAY.to - now());
  service = await listen(emulator, { port });
}
await Promise.all([publish(), goAway(), setTimeout(END_MS)]);
following.unsubscribe();
await service.close();

const lost = EVENTS.filter((_, number) => !loop.received.has(number)).length;
const late = EVENTS.filter((at, number) => (stream.received.get(number) ?? at) > at + 500).length;
if (stream.received.size !== EVENTS.length || lost === 0) throw new Error('this run tells another story');

const style = (size: number) => `<style>
  text { font: ${size}px system-ui, sans-serif; fill: #1f2328 }
  .name { font-weight: 600 }
  .away { fill: #8c959f33 }
  .line { stroke: #8c959f; stroke-width: 2 }
  .event { fill: #1a7f37 }
  .lost { fill: none; stroke: #cf222e; stroke-width: 3; stroke-dasharray: 5 4 }
  .failed { stroke: #cf222e; stroke-width: 3 }
  .bad { fill: #cf222e }
  .good { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .event, .good { fill: #3fb950 }
    .lost, .failed { stroke: #ff7b72 }
    .bad { fill: #ff7b72 }
  }
</style>`;

/** Draws the story between two places. `radius` is of an event. */
function drawing(left: number, right: number, radius: number) {
  const x = (ms: number) => Math.round(left + (ms / END_MS) * (right - left - 10));
  const arm = radius / 2 + 1;
  return {
    away: (y: number, height: number) =>
      `<rect class="away" x="${x(AWAY.from)}" y="${y}" width="${x(AWAY.to) - x(AWAY.from)}" height="${height}" rx="6"/>`,
    middle: (x(AWAY.from) + x(AWAY.to)) / 2,
    lane: (y: number, { received, failed }: Lane) => {
      const signs = failed
        .filter(at => at < AWAY.to + 500)
        .map(
          at =>
            `<path class="failed" d="M${x(at) - arm} ${y - arm}l${2 * arm} ${2 * arm}m0-${2 * arm}l-${2 * arm} ${2 * arm}"/>`,
        );
      const events = EVENTS.map((at, number) => {
        const came = received.get(number);
        // Those that came at once are beside each other.
        const together = [...received].filter(([other, when]) => other < number && came === when).length;
        return came === undefined
          ? `<circle class="lost" cx="${x(at)}" cy="${y}" r="${radius}"/>`
          : `<circle class="event" cx="${x(came) + (2 * radius + 2) * together}" cy="${y}" r="${radius}"/>`;
      });
      return `<path class="line" d="M${left} ${y}H${right}"/>${signs.join('')}${events.join('')}`;
    },
  };
}

const words = {
  loses: `${lost} events are lost, and nothing says so`,
  goesOn: '3. It goes on where it was:',
  none: `${late} events come late, none is lost`,
};

function write(
  name: string,
  [width, height, size]: readonly [number, number, number],
  content: string,
): void {
  const file = join(DOCS, name);
  const summary = `A service goes away for a few seconds. A loop around fetch loses the ${lost} events of that time. lobby-rx tries again, with growing waits, and then has them all.`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">`;
  writeFileSync(file, `${open}\n${style(size)}\n${content}\n</svg>\n`);
  console.log(`${file} is written.`);
}

const wide = drawing(150, 745, 11);
write(
  'story.svg',
  [760, 300, 20],
  `${wide.away(36, 228)}
<text x="${wide.middle}" y="24" text-anchor="middle">1. The service goes away</text>
<text class="name" x="8" y="95">fetch loop</text>
${wide.lane(88, loop)}
<text class="bad" x="745" y="134" text-anchor="end">${words.loses}</text>
<text class="name" x="8" y="197">lobby-rx</text>
${wide.lane(190, stream)}
<text x="${wide.middle}" y="236" text-anchor="middle">2. It tries again</text>
<text class="good" x="745" y="290" text-anchor="end">${words.goesOn} ${words.none}</text>`,
);
const narrow = drawing(8, 372, 8);
write(
  'story-phone.svg',
  [380, 330, 18],
  `${narrow.away(36, 206)}
<text x="${narrow.middle}" y="24" text-anchor="middle">1. The service goes away</text>
<text class="name" x="8" y="62">fetch loop</text>
${narrow.lane(88, loop)}
<text class="bad" x="8" y="126">${words.loses}</text>
<text class="name" x="8" y="172">lobby-rx</text>
${narrow.lane(198, stream)}
<text x="${narrow.middle}" y="232" text-anchor="middle">2. It tries again</text>
<text class="good" x="8" y="280">${words.goesOn}</text>
<text class="good" x="8" y="308">${words.none}</text>`,
);
process.exit();
