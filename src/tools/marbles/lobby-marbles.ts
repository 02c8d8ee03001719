/// <reference lib="dom" />
import type { LogEntry } from '../../client/index.js';
import { aPlainValue, atOnce } from '../../error/index.js';
import { Frames } from './frames.js';
import { MarblesView } from './marbles-view.js';
import { Timeline, type EventOfKind, type NamedWatch } from './timeline.js';

/**
 * `<lobby-marbles>` draws the work of a client as it happens. Each watch has a row. Polls are bars,
 * and waits are dashes. An event is a marble with the first letter of its kind. Polls that were cut
 * off, failures, wakes and gaps are signs. The colour of the line is the status. The row `requests`
 * has the requests that belong to no watch.
 *
 * A press on an item sends the event `pick`. Its `detail.at` is the end of the item, in ms since
 * 1970.
 *
 * The element shows no payload and no token. It forgets items that leave the left edge.
 */
export interface LobbyMarbles extends HTMLElement {
  /** The `log` option of a client, or of several clients. */
  readonly log: (entry: LogEntry) => void;
  /** Draws an event in the row of the watch that was answered last. */
  readonly event: (event: EventOfKind) => void;
  /**
   * Names the row of a watch. Give its `log` to the watch as `log`, and its `event` to the events.
   * Without the `log`, the watch that was answered last before the first event gets the name.
   *
   * @example
   * const row = marbles.watch('Ada');
   * client.events.createFeed({ log: row.log }).all$.pipe(tap(row.event)).subscribe();
   */
  readonly watch: (name: string) => NamedWatch;
  /** A time at which a line is drawn through all rows, in ms since 1970. */
  mark: number | undefined;
  /** Whether the picture stands still. When it goes on, it draws everything that has happened. */
  paused: boolean;
  /**
   * The clock, in ms since 1970. Default `Date.now`. Set it before the first entry. For a client
   * with a `scheduler`, use the clock of that scheduler.
   */
  now: () => number;
}

declare global {
  interface HTMLElementTagNameMap {
    'lobby-marbles': LobbyMarbles;
  }
}

/** The default of the attribute `scale`, in pixels per second. */
const PX_PER_S = 12;

/**
 * Defines the element `<lobby-marbles>`. Does nothing outside a page, or if the element is already
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

/** Creates the class. It exists only in a page, because `HTMLElement` exists only there. */
function createElementClass() {
  return class extends HTMLElement implements LobbyMarbles {
    now: () => number = Date.now;
    readonly #time = atOnce('now', () => this.now(), aPlainValue);
    readonly #timeline = new Timeline(() => this.#time());
    readonly log = this.#timeline.log;
    readonly event = this.#timeline.event;
    readonly watch = this.#timeline.watch;
    #view: MarblesView | undefined;
    #isPaused = false;
    #mark: number | undefined;
    #drawnAt = 0;
    readonly #frames = new Frames(() => {
      this.#drawnAt = this.#time();
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
      // A picture that stands still is not drawn by a frame.
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
