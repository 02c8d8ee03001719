/// <reference lib="dom" />

/** How often a picture moves if the user wants little motion, in ms. */
const CALM_MS = 1_000;

/** Calls a function for each frame, or each second if the user wants little motion. */
export class Frames {
  readonly #draw: () => void;
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Calls the function at once, and then for each frame. */
  start(): void {
    this.stop();
    this.#step();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
  }

  readonly #step = (): void => {
    this.#draw();
    if (this.#calm.matches) this.#timer = setTimeout(this.#step, CALM_MS);
    else this.#frame = requestAnimationFrame(this.#step);
  };
}
