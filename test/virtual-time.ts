import { VirtualTimeScheduler } from 'rxjs';

/**
 * A virtual clock that advances only on demand. It starts in 2026, because dates before 2000 are
 * not accepted.
 */
export function virtualTime() {
  const scheduler = new VirtualTimeScheduler();
  scheduler.frame = Date.UTC(2026, 0, 1);
  /** Advances the clock by this many ms. */
  const pass = (ms: number) => {
    scheduler.maxFrames = scheduler.now() + ms;
    scheduler.schedule(() => undefined, ms);
    scheduler.flush();
  };
  return { scheduler, pass };
}
