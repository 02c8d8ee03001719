/// <reference lib="dom" />
import type { LogEntry } from '../../client/index.js';
import { createDrawing } from './drawing.js';
import type { Item } from './item.js';
import { createLegendView } from './legend-view.js';
import { STYLE } from './style.js';
import { createTimeline, type EventOfKind, type NamedWatch } from './timeline.js';

/**
 * `<lobby-marbles>`: draws what a client does, while it does it. Each watch has a row: its polls as
 * bars, waits as dashes, events as marbles with the first letter of their kind, cuts, failures,
 * wakes and gaps as signs, and its status as the colour of the line. The row `requests` has what
 * belongs to no watch.
 *
 * Who presses on something gets the event `pick`, whose `detail.at` is when that ended, in ms since
 * 1970.
 *
 * It shows no payload and no token. What leaves the left edge is forgotten.
 */
export interface LobbyMarbles extends HTMLElement {
  /** The `log` of a client, or of several. */
  readonly log: (entry: LogEntry) => void;
  /** Draws an event in the row of the watch that was answered last. */
  readonly event: (event: EventOfKind) => void;
  /**
   * Names the row of a watch. Its `log` is for the `log` of the watch, its `event` for events.
   * Without that `log`, the row of the watch gets the name whose answer comes before the first
   * event.
   *
   * @example
   * const row = marbles.watch('Ada');
   * client.events.createFeed({ log: row.log }).all$.pipe(tap(row.event)).subscribe();
   */
  readonly watch: (name: string) => NamedWatch;
  /** A time at which a line is drawn through all rows, in ms since 1970. */
  mark: number | undefined;
  /** Whether the picture stands still. What happens meanwhile is drawn when it goes on. */
  paused: boolean;
  /**
   * The clock, in ms since 1970; set it before the first entry. Default `Date.now`; for a client
   * with a `scheduler`, that.
   */
  now: () => number;
}

declare global {
  interface HTMLElementTagNameMap {
    'lobby-marbles': LobbyMarbles;
  }
}

/**
 * How often the picture moves if the user wants little motion, and how often the list is written,
 * in ms.
 */
const SECOND = 1_000;
/** How many items the list has. */
const LISTED = 50;
/** Pixels per second, unless the attribute `scale` says another number. */
const SCALE = 12;

/**
 * Defines the element `<lobby-marbles>`. Does nothing where there are no elements, or if it is
 * defined.
 *
 * @example
 * defineMarbles();
 * const marbles = document.querySelector('lobby-marbles')!;
 * const client = createClient({ url, token, log: marbles.log });
 * client.events.feed.all$.pipe(tap(marbles.event)).subscribe();
 */
export function defineMarbles(): void {
  if (typeof customElements === 'undefined' || customElements.get('lobby-marbles')) return;
  customElements.define('lobby-marbles', createElementClass());
}

/** A class of its own for each page: where there are no elements, there is nothing to extend. */
function createElementClass() {
  return class extends HTMLElement implements LobbyMarbles {
    now: () => number = Date.now;
    readonly #timeline = createTimeline(() => this.now());
    readonly log = this.#timeline.log;
    readonly event = this.#timeline.event;
    readonly watch = this.#timeline.watch;
    #view: ReturnType<typeof createView> | undefined;
    #isPaused = false;
    #mark: number | undefined;
    #drawnAt = 0;
    #stop: (() => void) | undefined;

    get paused(): boolean {
      return this.#isPaused;
    }
    set paused(isPaused: boolean) {
      this.#isPaused = isPaused;
      this.#view?.showPaused(isPaused);
      if (isPaused) this.#halt();
      else if (this.isConnected) this.#flow();
    }
    get mark(): number | undefined {
      return this.#mark;
    }
    set mark(mark: number | undefined) {
      this.#mark = mark;
      // Also in a picture that stands still.
      if (this.#isPaused) this.#draw();
    }
    connectedCallback(): void {
      this.#view ??= createView(this.attachShadow({ mode: 'open' }), {
        scale: Number(this.getAttribute('scale')) || SCALE,
        toggle: () => {
          this.paused = !this.paused;
        },
        pick: at => this.dispatchEvent(new CustomEvent('pick', { detail: { at } })),
      });
      if (!this.#isPaused) this.#flow();
    }
    disconnectedCallback(): void {
      this.#halt();
    }
    #flow(): void {
      this.#halt();
      this.#stop = everyFrame(() => {
        this.#drawnAt = this.now();
        this.#draw();
      });
    }
    #draw(): void {
      this.#view?.draw(this.#timeline.changes(), this.#timeline.rows, this.#drawnAt, this.#mark);
    }
    #halt(): void {
      this.#stop?.();
      this.#stop = undefined;
    }
  };
}

/** Calls a function for each frame, or each second if the user wants little motion. */
function everyFrame(draw: () => void): () => void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    if (calm.matches) timer = setTimeout(step, SECOND);
    else frame = requestAnimationFrame(step);
  };
  const step = () => {
    draw();
    next();
  };
  step();
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

const HTML = `<div class="legend" part="legend"></div><svg class="picture" aria-hidden="true"><title></title></svg>
<p></p><button type="button" part="pause">Pause</button>
<details part="list"><summary>As a list</summary><ol tabindex="0" aria-label="What has happened, the newest first"></ol></details>`;

/**
 * What is in the element: the picture, its legend, what the pointer is on, a button, and a list for
 * those who cannot see the picture.
 */
function createView(
  root: ShadowRoot,
  { scale, toggle, pick }: { scale: number; toggle: () => void; pick: (at: number) => void },
) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  root.innerHTML = HTML;
  const svg = root.querySelector<SVGSVGElement>('.picture')!;
  const tooltip = root.querySelector('title')!;
  const legend = createLegendView(root.querySelector('.legend')!);
  const about = root.querySelector('p')!;
  const button = root.querySelector('button')!;
  const details = root.querySelector('details')!;
  const list = root.querySelector('ol')!;
  const drawing = createDrawing(svg, scale);
  /** The newest is the last. */
  const recent: Item[] = [];
  let listedAt = -Infinity;
  let width = svg.clientWidth;

  // Reading it in each frame would cost a layout.
  new ResizeObserver(() => {
    width = svg.clientWidth;
  }).observe(svg);
  button.addEventListener('click', toggle);
  svg.addEventListener('pointerover', ({ target }) => {
    const item = drawing.itemAt(target);
    if (!item) return;
    about.textContent = inWords(item);
    tooltip.textContent = about.textContent;
  });
  svg.addEventListener('click', ({ target }) => {
    const item = drawing.itemAt(target);
    if (item) pick(item.to ?? item.from);
  });
  const write = () => {
    list.replaceChildren(
      ...[...recent].reverse().map(item => {
        const line = document.createElement('li');
        line.textContent = inWords(item);
        return line;
      }),
    );
  };
  details.addEventListener('toggle', write);

  return {
    draw: (
      changes: ReadonlySet<Item>,
      rows: Parameters<typeof drawing.draw>[1],
      now: number,
      mark: number | undefined,
    ) => {
      drawing.draw(changes, rows, now, width, mark);
      for (const item of changes) {
        legend.explain(item);
        const isSaid = item.to !== undefined || item.shape === 'line';
        if (isSaid && !recent.includes(item)) recent.push(item);
      }
      recent.splice(0, recent.length - LISTED);
      if (!details.open || now - listedAt < SECOND) return;
      listedAt = now;
      write();
    },
    showPaused: (isPaused: boolean) => {
      button.textContent = isPaused ? 'Continue' : 'Pause';
    },
  };
}

const inWords = ({ from, row, text }: Item) =>
  `${new Date(from).toLocaleTimeString('en-GB')} ${row.name}: ${text}`;
