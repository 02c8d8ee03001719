/// <reference lib="dom" />
import { svgElement } from './svg-element.js';

/** The height of the axis, in pixels. */
export const AXIS_PX = 18;
/** The least distance between two labels, in pixels. */
const LABEL_PX = 70;
/** The possible distances between two labels, in seconds. */
const STEPS_S = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600];

/** The labels of the time axis. Each says how many seconds before now it stands. */
export class Axis {
  readonly #element: SVGGElement;
  readonly #scale: number;
  #width = 0;

  /** `scale` is in pixels per second. */
  constructor(svg: SVGSVGElement, scale: number) {
    this.#element = svg.appendChild(svgElement('g', { transform: `translate(0 ${AXIS_PX - 5})` }));
    this.#scale = scale;
  }

  draw(width: number): void {
    if (width === this.#width) return;
    this.#width = width;
    const seconds = STEPS_S.find(step => step * this.#scale >= LABEL_PX) ?? STEPS_S.at(-1)!;
    const step = seconds * this.#scale;
    const labels = Array.from({ length: Math.floor(width / step) }, (_, i) => {
      const label = svgElement('text', { x: width - (i + 1) * step });
      label.textContent = `−${(i + 1) * seconds} s`;
      return label;
    });
    this.#element.replaceChildren(...labels);
  }
}
