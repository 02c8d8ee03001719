/// <reference lib="dom" />
import type { Item } from './item.js';
import { svgElement } from './svg-element.js';

/** The heights of bars, in pixels. */
const HEIGHTS = { poll: 18, wait: 8 };

/** Whether an item takes time, so that its mark has a length. */
export const isLong = ({ shape }: Pick<Item, 'shape'>): boolean =>
  shape === 'line' || shape === 'poll' || shape === 'wait';

/** The CSS class of a mark. It omits the tone of a marble, which may be any text. */
export const classOf = ({ shape, tone }: Pick<Item, 'shape' | 'tone'>): string =>
  shape === 'marble' ? 'marble' : `${shape} ${tone}`;

/** Creates a mark around the height 0. The legend and the picture use the same marks. */
export function createMark(item: Pick<Item, 'shape' | 'tone' | 'letter' | 'text'>): SVGElement {
  const { shape, letter, text } = item;
  const mark = svgElement('g', { class: classOf(item) });
  if (shape === 'line') mark.append(svgElement('line'));
  if (shape === 'poll' || shape === 'wait') {
    const height = HEIGHTS[shape];
    mark.append(svgElement('rect', { y: -height / 2, height, rx: 4 }));
  }
  if (shape === 'marble') {
    mark.style.setProperty('--hue', String(hueOf(text)));
    mark.append(svgElement('circle', { r: 10 }));
  }
  if (!isLong(item)) mark.appendChild(svgElement('text')).textContent = letter;
  return mark;
}

/** Sets the length of a line, a poll or a wait, in pixels. */
export function lengthen(mark: SVGElement, width: number): void {
  const shape = mark.firstElementChild!;
  shape.setAttribute(shape.nodeName === 'line' ? 'x2' : 'width', String(width));
}

/** The hue of a kind of event. It is the same on every page. */
function hueOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 53 + letter.charCodeAt(0)) % 3_600;
  return hash / 10;
}
