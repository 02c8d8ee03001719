import type { Server } from 'node:http';
import { Observable } from 'rxjs';

/** Each gate listens for itself, and so do its figures: that is no leak, of which Node would warn. Returns what undoes it. */
export function allowListener(server: Server): () => void {
  const change = (by: 1 | -1) => {
    const most = server.getMaxListeners();
    // 0 is no limit.
    if (most > 0) server.setMaxListeners(most + by);
  };
  change(1);
  return () => change(-1);
}

/** Emits when a server has closed. */
export function closeOf(server: Server): Observable<void> {
  return new Observable(subscriber => {
    const disallow = allowListener(server);
    const listener = () => subscriber.next();
    server.on('close', listener);
    return () => {
      server.off('close', listener);
      disallow();
    };
  });
}
