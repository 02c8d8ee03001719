// A page with marbles: of a feed of a service, or of twenty watches of a busy one that is in the
// page.
import { merge, Observable, tap, timer } from 'rxjs';
import { createClient, type Transport } from 'lobby-rx';
import { defineMarbles } from 'lobby-rx/marbles';

/** What the page needs of a browser. */
interface Page {
  readonly document: { body: { innerHTML: string }; querySelector(name: 'lobby-marbles'): Marbles };
  readonly location: { readonly search: string };
  requestAnimationFrame: (step: (at: number) => void) => number;
  /** How long each frame's script took, in ms. */
  frames: number[];
}
type Marbles = Pick<import('lobby-rx/marbles').LobbyMarbles, 'log' | 'event' | 'watch' | 'now' | 'paused'>;

const page = globalThis as unknown as Page;
page.frames = [];
const { requestAnimationFrame } = page;
page.requestAnimationFrame = step =>
  requestAnimationFrame(at => {
    const start = performance.now();
    step(at);
    page.frames.push(performance.now() - start);
  });

defineMarbles();
page.document.body.innerHTML = '<main><h1>Marbles</h1><lobby-marbles scale="60"></lobby-marbles></main>';
const marbles = page.document.querySelector('lobby-marbles');
const query = new URLSearchParams(page.location.search);

if (query.get('kinds') === 'load') {
  const WATCHES = 20;
  let answers = 0;
  // Each watch gets two and a half answers per second.
  const transport: Transport = () =>
    new Observable(subscriber =>
      timer(400).subscribe(() => {
        const events = [{ kind: { [`kind_${answers % 7}`]: 1 }, ts: '' }];
        const text = JSON.stringify({ events, watch: { index: String(++answers) } });
        subscriber.next({ status: 200, headers: { get: () => null }, text });
        subscriber.complete();
      }),
    );
  const client = createClient({ url: 'https://service.example', token: 't', transport, log: marbles.log });
  const feeds = Array.from({ length: WATCHES }, (_, i) => {
    const row = marbles.watch(`player ${i + 1}`);
    return client.events.createFeed({ log: row.log }).all$.pipe(tap(row.event));
  });
  merge(...feeds).subscribe();
} else {
  const client = createClient({ url: query.get('url')!, token: query.get('token')!, log: marbles.log });
  const row = marbles.watch('the events of Ada');
  client.events.feed.all$.pipe(tap(row.event)).subscribe();
}
