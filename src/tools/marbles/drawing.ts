/// <reference lib="dom" />
import type { Item, Row } from './item.js';

const SVG = 'http://www.w3.org/2000/svg';
/** The height of a row, and of what is in it, in pixels. */
const ROW = 60;
const MIDDLE = 36;
/** The line is below what happens. */
const BELOW = 14;
const HEIGHTS = { poll: 18, wait: 8 };
/** A letter is as wide, in pixels, at most: a bar that is too short for its text has none. */
const LETTER = 6.8;
/**
 * Marbles of the same time are so far apart, in pixels; those after the fourth stand in the same
 * place.
 */
const APART = 7;
const BESIDE = 3;
/** What is not seen any more is removed as often, in ms. */
const SWEEP = 1_000;
/** What is before the left edge by so much is removed, in pixels. */
const MARGIN = 40;
/** The height of the axis, and how far its labels are apart at least, in pixels; and in seconds. */
const AXIS = 18;
const LABEL = 70;
const STEPS = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600];

/**
 * Draws items into an SVG: time flows from the right, where it is now, to the left. `scale` is in
 * pixels per second.
 */
export function createDrawing(svg: SVGSVGElement, scale: number) {
  const flow = svg.appendChild(document.createElementNS(SVG, 'g'));
  const bars = flow.appendChild(document.createElementNS(SVG, 'g'));
  const marks = flow.appendChild(document.createElementNS(SVG, 'g'));
  const axis = svg.appendChild(document.createElementNS(SVG, 'g'));
  axis.setAttribute('transform', `translate(0 ${AXIS - 5})`);
  const labels = svg.appendChild(document.createElementNS(SVG, 'g'));
  labels.setAttribute('transform', `translate(0 ${AXIS})`);
  const mark = flow.appendChild(document.createElementNS(SVG, 'line'));
  mark.setAttribute('class', 'mark');
  let axisWidth = 0;
  const drawn = new Map<Item, SVGElement>();
  const items = new WeakMap<Element, Item>();
  const open = new Set<Item>();
  let origin: number | undefined;
  let swept = 0;

  const x = (at: number) => ((at - origin!) / 1_000) * scale;
  const stretch = (item: Item, element: SVGElement, now: number) => {
    const width = Math.max(1, x(item.to ?? now) - x(item.from));
    lengthen(element, width);
    if (item.letter === '' || element.childElementCount > 1 || width < item.letter.length * LETTER) return;
    const text = element.appendChild(document.createElementNS(SVG, 'text'));
    text.textContent = item.letter;
    text.setAttribute('x', '5');
  };
  const create = (item: Item): SVGElement => {
    const mark = createMark(item);
    const y = item.row.order * ROW + MIDDLE + (item.shape === 'line' ? BELOW : 0);
    mark.setAttribute('transform', `translate(${x(item.from) + Math.min(item.nth, BESIDE) * APART} ${y})`);
    return (isLong(item) ? bars : marks).appendChild(mark);
  };
  /** What goes on is as long as it is now; what is over is drawn once. */
  const draw = (item: Item, now: number) => {
    let element = drawn.get(item);
    if (!element) {
      element = create(item);
      drawn.set(item, element);
      items.set(element, item);
    }
    element.setAttribute('class', classOf(item));
    if (isLong(item)) stretch(item, element, now);
    if (item.to === undefined) open.add(item);
    else open.delete(item);
  };
  /** How long ago it was, from the right. */
  const drawAxis = (width: number) => {
    axisWidth = width;
    const step = STEPS.find(seconds => seconds * scale >= LABEL) ?? STEPS.at(-1)!;
    const count = Math.floor(width / (step * scale));
    axis.replaceChildren(
      ...Array.from({ length: count }, (_, i) => {
        const label = document.createElementNS(SVG, 'text');
        label.setAttribute('x', String(width - (i + 1) * step * scale));
        label.textContent = `−${(i + 1) * step} s`;
        return label;
      }),
    );
  };
  const sweep = (left: number) => {
    for (const [item, element] of drawn) {
      if (item.to === undefined || x(item.to) > left) continue;
      element.remove();
      drawn.delete(item);
    }
  };

  return {
    draw: (changes: ReadonlySet<Item>, rows: readonly Row[], now: number, width: number, marked?: number) => {
      origin ??= now;
      mark.setAttribute('transform', `translate(${x(marked ?? now)} 0)`);
      mark.setAttribute('y2', String(marked === undefined ? 0 : rows.length * ROW));
      for (const item of changes) draw(item, now);
      for (const item of open) stretch(item, drawn.get(item)!, now);
      flow.setAttribute('transform', `translate(${width - x(now)} ${AXIS})`);
      svg.setAttribute('height', String(rows.length * ROW + AXIS));
      if (width !== axisWidth) drawAxis(width);
      for (const { order, name } of rows) {
        const label = labels.children[order] ?? labels.appendChild(document.createElementNS(SVG, 'text'));
        if (label.textContent === name) continue;
        label.textContent = name;
        label.setAttribute('y', String(order * ROW + MIDDLE - 18));
      }
      if (now - swept < SWEEP) return;
      swept = now;
      sweep(x(now) - width - MARGIN);
    },
    /** What is drawn at an element. */
    itemAt: (target: EventTarget | null): Item | undefined =>
      target instanceof Element
        ? (items.get(target) ?? (target.parentElement ? items.get(target.parentElement) : undefined))
        : undefined,
  };
}

/** What takes time is as long as it takes. */
const isLong = ({ shape }: Pick<Item, 'shape'>) => shape === 'line' || shape === 'poll' || shape === 'wait';

/** The tone of a marble is its kind, which may be any text. */
const classOf = ({ shape, tone }: Pick<Item, 'shape' | 'tone'>) =>
  shape === 'marble' ? 'marble' : `${shape} ${tone}`;

/** A mark by itself, around the height 0: the legend has the same as the picture. */
export function createMark(item: Pick<Item, 'shape' | 'tone' | 'letter' | 'text'>): SVGElement {
  const { shape, letter, text } = item;
  const mark = document.createElementNS(SVG, 'g');
  mark.setAttribute('class', classOf(item));
  if (shape === 'line') mark.append(document.createElementNS(SVG, 'line'));
  if (shape === 'poll' || shape === 'wait') {
    const rect = mark.appendChild(document.createElementNS(SVG, 'rect'));
    rect.setAttribute('y', String(-HEIGHTS[shape] / 2));
    rect.setAttribute('height', String(HEIGHTS[shape]));
    rect.setAttribute('rx', '4');
  }
  if (shape === 'marble') {
    mark.style.setProperty('--hue', String(hueOf(text)));
    mark.appendChild(document.createElementNS(SVG, 'circle')).setAttribute('r', '10');
  }
  if (!isLong(item)) mark.appendChild(document.createElementNS(SVG, 'text')).textContent = letter;
  return mark;
}

/** Makes a line, a poll or a wait as long as it is, in pixels. */
export function lengthen(mark: SVGElement, width: number): void {
  const shape = mark.firstElementChild!;
  shape.setAttribute(shape.nodeName === 'line' ? 'x2' : 'width', String(width));
}

/** Each kind has a colour of its own, the same on every page. */
function hueOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 53 + letter.charCodeAt(0)) % 3_600;
  return hash / 10;
}
