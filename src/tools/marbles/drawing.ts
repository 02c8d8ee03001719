/// <reference lib="dom" />
import { Axis, AXIS_PX } from './axis.js';
import type { Item, Row } from './item.js';
import { classOf, createMark, isLong, lengthen } from './mark.js';
import { svgElement } from './svg-element.js';

/** The height of a row, in pixels. */
const ROW_PX = 60;
/** The distance from the top of a row to the middle of its items, in pixels. */
const MIDDLE_PX = 36;
/** How far the line of the status is below the other items, in pixels. */
const BELOW_PX = 14;
/** The largest width of a letter, in pixels. A bar that is too short for its text has no text. */
const LETTER_PX = 6.8;
/**
 * The distance between marbles of the same time, in pixels. All marbles after the fourth stand in
 * its place.
 */
const APART_PX = 7;
const MAX_BESIDE = 3;
/** How often items are removed that have left the picture, in ms. */
const SWEEP_MS = 1_000;
/** Items this far beyond the left edge are removed, in pixels. */
const MARGIN_PX = 40;

/** The input of a drawing. Times are in ms since 1970. */
export interface Scene {
  readonly changes: ReadonlySet<Item>;
  readonly rows: readonly Row[];
  readonly now: number;
  /** The width of the picture, in pixels. */
  readonly width: number;
  /** The time at which a line goes through all rows. */
  readonly marked: number | undefined;
}

/** Draws items into an SVG. The right edge is now, and time flows to the left. */
export class Drawing {
  readonly #svg: SVGSVGElement;
  readonly #scale: number;
  readonly #flow: SVGGElement;
  /** The items that take time. They are drawn below the others. */
  readonly #bars: SVGGElement;
  readonly #moments: SVGGElement;
  readonly #axis: Axis;
  readonly #names: SVGGElement;
  readonly #marked: SVGLineElement;
  readonly #elements = new Map<Item, SVGElement>();
  readonly #items = new WeakMap<Element, Item>();
  readonly #open = new Set<Item>();
  /** The time at which x is 0. */
  #origin: number | undefined;
  #sweptAt = 0;

  /** `scale` is in pixels per second. */
  constructor(svg: SVGSVGElement, scale: number) {
    this.#svg = svg;
    this.#scale = scale;
    this.#flow = svg.appendChild(svgElement('g'));
    this.#bars = this.#flow.appendChild(svgElement('g'));
    this.#moments = this.#flow.appendChild(svgElement('g'));
    this.#axis = new Axis(svg, scale);
    this.#names = svg.appendChild(svgElement('g', { transform: `translate(0 ${AXIS_PX})` }));
    this.#marked = this.#flow.appendChild(svgElement('line', { class: 'mark' }));
  }

  draw({ changes, rows, now, width, marked }: Scene): void {
    this.#origin ??= now;
    const height = rows.length * ROW_PX;
    this.#marked.setAttribute('transform', `translate(${this.#x(marked ?? now)} 0)`);
    this.#marked.setAttribute('y2', String(marked === undefined ? 0 : height));
    for (const item of changes) this.#drawItem(item, now);
    for (const item of this.#open) this.#stretch(item, this.#elements.get(item)!, now);
    this.#flow.setAttribute('transform', `translate(${width - this.#x(now)} ${AXIS_PX})`);
    this.#svg.setAttribute('height', String(height + AXIS_PX));
    this.#axis.draw(width);
    this.#nameRows(rows);
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    this.#sweep(this.#x(now) - width - MARGIN_PX);
  }

  /** The item that an element of the picture shows. */
  itemAt(target: EventTarget | null): Item | undefined {
    if (!(target instanceof Element)) return undefined;
    return (
      this.#items.get(target) ?? (target.parentElement ? this.#items.get(target.parentElement) : undefined)
    );
  }

  #x(at: number): number {
    return ((at - this.#origin!) / 1_000) * this.#scale;
  }

  /** Draws an item. An item that has not ended is stretched in each further frame. */
  #drawItem(item: Item, now: number): void {
    const element = this.#elements.get(item) ?? this.#create(item);
    element.setAttribute('class', classOf(item));
    if (isLong(item)) this.#stretch(item, element, now);
    if (item.to === undefined) this.#open.add(item);
    else this.#open.delete(item);
  }

  #create(item: Item): SVGElement {
    const mark = createMark(item);
    const x = this.#x(item.from) + Math.min(item.nth, MAX_BESIDE) * APART_PX;
    const y = item.row.order * ROW_PX + MIDDLE_PX + (item.shape === 'line' ? BELOW_PX : 0);
    mark.setAttribute('transform', `translate(${x} ${y})`);
    this.#elements.set(item, mark);
    this.#items.set(mark, item);
    return (isLong(item) ? this.#bars : this.#moments).appendChild(mark);
  }

  #stretch({ from, to, letter }: Item, element: SVGElement, now: number): void {
    const width = Math.max(1, this.#x(to ?? now) - this.#x(from));
    lengthen(element, width);
    const hasText = element.childElementCount > 1;
    if (letter === '' || hasText || width < letter.length * LETTER_PX) return;
    element.appendChild(svgElement('text', { x: 5 })).textContent = letter;
  }

  #nameRows(rows: readonly Row[]): void {
    for (const { order, name } of rows) {
      const label = this.#names.children[order] ?? this.#names.appendChild(svgElement('text'));
      if (label.textContent === name) continue;
      label.textContent = name;
      label.setAttribute('y', String(order * ROW_PX + MIDDLE_PX - 18));
    }
  }

  #sweep(left: number): void {
    for (const [item, element] of this.#elements) {
      if (item.to === undefined || this.#x(item.to) > left) continue;
      element.remove();
      this.#elements.delete(item);
    }
  }
}
