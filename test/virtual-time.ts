import { VirtualTimeScheduler } from 'rxjs';

/** A time that passes only when it is told to; it begins in this century, as the dates that servers send do. */
export function virtualTime() {
  const scheduler = new VirtualTimeScheduler();
  scheduler.frame = Date.UTC(2026, 0, 1);
  /** Lets so many ms pass. */
  const pass = (ms: number) => {
    scheduler.maxFrames = scheduler.now() + ms;
    scheduler.schedule(() => undefined, ms);
    scheduler.flush();
  };
  return { scheduler, pass };
}
