import type { Duplex } from 'node:stream';
import { fromEvent, takeUntil, timer, type SchedulerLike } from 'rxjs';

/** Whoever does not read what he was answered would stay for ever. */
export function destroySoon(socket: Duplex, scheduler: SchedulerLike): void {
  timer(1_000, scheduler)
    .pipe(takeUntil(fromEvent(socket, 'close')))
    .subscribe(() => socket.destroy());
}
