/// <reference lib="dom" />
import type { Item } from './item.js';
import { LEGEND, legendOf, SIGNS, type LegendEntry } from './legend.js';
import { createMark, lengthen } from './mark.js';
import { svgElement } from './svg-element.js';

/** How many kinds of events are explained. */
const MAX_KINDS = 12;
/** The size of a mark in the legend, in pixels. */
const WIDTH_PX = 22;
const HEIGHT_PX = 20;

/**
 * A legend that explains only what has been drawn. The marks come first, then the kinds of events.
 */
export function createLegendView(legend: Element) {
  const kinds = new Set<string>();
  const add = (mark: SVGElement, label: string) => {
    const place = legend.appendChild(document.createElement('span'));
    const viewBox = `0 ${-HEIGHT_PX / 2} ${WIDTH_PX} ${HEIGHT_PX}`;
    place.appendChild(svgElement('svg', { 'aria-hidden': 'true', viewBox })).append(mark);
    place.append(label);
    return place;
  };
  const drawn = ({ shape, tones: [tone], label }: LegendEntry) => {
    const mark = createMark({ shape, tone, letter: SIGNS[tone]?.[0] ?? '', text: '' });
    if (shape === 'sign') mark.setAttribute('transform', `translate(${WIDTH_PX / 2} 0)`);
    else lengthen(mark, WIDTH_PX);
    const place = add(mark, label);
    place.hidden = true;
    return place;
  };
  const places = new Map(LEGEND.map(entry => [entry, drawn(entry)]));
  return {
    explain: (item: Item) => {
      const entry = legendOf(item);
      if (entry) places.get(entry)!.hidden = false;
      if (item.shape !== 'marble' || kinds.has(item.text) || kinds.size === MAX_KINDS) return;
      kinds.add(item.text);
      const mark = createMark(item);
      mark.setAttribute('transform', `translate(${WIDTH_PX / 2} 0)`);
      add(mark, item.text);
    },
  };
}
