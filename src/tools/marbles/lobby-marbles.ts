/// <reference lib="dom" />
import type { LogEntry } from '../../client/index.js';
import { Frames } from './frames.js';
import { MarblesView } from './marbles-view.js';
import { Timeline, type EventOfKind, type NamedWatch } from './timeline.js';

/**
 * `<lobby-marbles>`: draws what a client does, while it does it. Each watch has a row: its polls as
 * bars, waits as dashes, events as marbles with the first letter of their kind, cuts, failures,
 * wakes and gaps as signs, and its status as the colour of the line. The row `requests` has what
 * belongs to no watch.
 *
 * Pressing on an item sends the event `pick`. Its `detail.at` is when the item ended, in ms since
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
  /** Whether the picture stands still. What happens in that time is drawn when it goes on. */
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

/** Pixels per second, unless the attribute `scale` says another number. */
const PX_PER_S = 12;

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

/** Makes the class only in a page: where there are no elements, there is nothing to extend. */
function createElementClass() {
  return class extends HTMLElement implements LobbyMarbles {
    now: () => number = Date.now;
    readonly #timeline = new Timeline(() => this.now());
    readonly log = this.#timeline.log;
    readonly event = this.#timeline.event;
    readonly watch = this.#timeline.watch;
    #view: MarblesView | undefined;
    #isPaused = false;
    #mark: number | undefined;
    #drawnAt = 0;
    readonly #frames = new Frames(() => {
      this.#drawnAt = this.now();
      this.#draw();
    });

    get paused(): boolean {
      return this.#isPaused;
    }
    set paused(isPaused: boolean) {
      this.#isPaused = isPaused;
      this.#view?.showPaused(isPaused);
      if (isPaused) this.#frames.stop();
      else if (this.isConnected) this.#frames.start();
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
      this.#view ??= new MarblesView(this.attachShadow({ mode: 'open' }), {
        scale: Number(this.getAttribute('scale')) || PX_PER_S,
        toggle: () => {
          this.paused = !this.paused;
        },
        pick: at => this.dispatchEvent(new CustomEvent('pick', { detail: { at } })),
      });
      if (!this.#isPaused) this.#frames.start();
    }
    disconnectedCallback(): void {
      this.#frames.stop();
    }
    #draw(): void {
      this.#view?.draw({
        changes: this.#timeline.changes(),
        rows: this.#timeline.rows,
        now: this.#drawnAt,
        marked: this.#mark,
      });
    }
  };
}
