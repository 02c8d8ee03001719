/// <reference lib="dom" />
import { Drawing, type Scene } from './drawing.js';
import type { Item } from './item.js';
import { createLegendView } from './legend-view.js';
import { STYLE } from './style.js';

/** How often the list is written, in ms. */
const WRITE_MS = 1_000;
/** How many items the list has. */
const MAX_LISTED = 50;

const HTML = `<div class="legend" part="legend"></div><svg class="picture" aria-hidden="true"><title></title></svg>
<p></p><button type="button" part="pause">Pause</button>
<details part="list"><summary>As a list</summary><ol tabindex="0" aria-label="What has happened, the newest first"></ol></details>`;

/**
 * The content of the element: the picture, its legend, and a button. A line describes the item
 * under the pointer. A list helps people who cannot see the picture.
 */
export class MarblesView {
  readonly #legend: ReturnType<typeof createLegendView>;
  readonly #drawing: Drawing;
  readonly #button: HTMLButtonElement;
  readonly #details: HTMLDetailsElement;
  readonly #list: HTMLOListElement;
  /** The items of the list. The newest is the last. */
  readonly #recent: Item[] = [];
  #writtenAt = -Infinity;
  #width: number;

  constructor(
    root: ShadowRoot,
    { scale, toggle, pick }: { scale: number; toggle: () => void; pick: (at: number) => void },
  ) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = HTML;
    this.#legend = createLegendView(root.querySelector('.legend')!);
    this.#button = root.querySelector('button')!;
    this.#details = root.querySelector('details')!;
    this.#list = root.querySelector('ol')!;
    const svg = root.querySelector<SVGSVGElement>('.picture')!;
    this.#drawing = new Drawing(svg, scale);
    this.#width = svg.clientWidth;
    // Reading the width in each frame would cost a layout.
    new ResizeObserver(() => {
      this.#width = svg.clientWidth;
    }).observe(svg);
    this.#button.addEventListener('click', toggle);
    this.#details.addEventListener('toggle', () => this.#write());
    this.#explainWhatIsPointedAt(svg, root.querySelector('p')!);
    svg.addEventListener('click', ({ target }) => {
      const item = this.#drawing.itemAt(target);
      if (item) pick(item.to ?? item.from);
    });
  }

  draw(scene: Omit<Scene, 'width'>): void {
    this.#drawing.draw({ ...scene, width: this.#width });
    for (const item of scene.changes) {
      this.#legend.explain(item);
      const isListed = item.to !== undefined || item.shape === 'line';
      if (isListed && !this.#recent.includes(item)) this.#recent.push(item);
    }
    this.#recent.splice(0, this.#recent.length - MAX_LISTED);
    if (!this.#details.open || scene.now - this.#writtenAt < WRITE_MS) return;
    this.#writtenAt = scene.now;
    this.#write();
  }

  showPaused(isPaused: boolean): void {
    this.#button.textContent = isPaused ? 'Continue' : 'Pause';
  }

  #explainWhatIsPointedAt(svg: SVGSVGElement, about: HTMLElement): void {
    const tooltip = svg.querySelector('title')!;
    svg.addEventListener('pointerover', ({ target }) => {
      const item = this.#drawing.itemAt(target);
      if (!item) return;
      about.textContent = inWords(item);
      tooltip.textContent = about.textContent;
    });
  }

  #write(): void {
    const lines = [...this.#recent].reverse().map(item => {
      const line = document.createElement('li');
      line.textContent = inWords(item);
      return line;
    });
    this.#list.replaceChildren(...lines);
  }
}

const inWords = ({ from, row, text }: Item) =>
  `${new Date(from).toLocaleTimeString('en-GB')} ${row.name}: ${text}`;
