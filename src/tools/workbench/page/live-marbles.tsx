import { useEffect, useRef } from 'preact/hooks';
import type { LobbyMarbles } from '../../marbles/index.js';
import type { SeenRequest } from '../world-view.js';
import { drawnRequests } from './drawn-requests.js';

/** Every poll and event of every client. `ahead` is how far the clock of the emulator is ahead of this one, in ms. */
export function LiveMarbles({ requests, ahead }: { requests: readonly SeenRequest[]; ahead: number }) {
  const marbles = useRef<LobbyMarbles>(null);
  const draw = useRef<ReturnType<typeof drawnRequests>>();
  const clock = useRef(ahead);
  clock.current = ahead;
  useEffect(() => {
    const element = marbles.current!;
    element.now = () => Date.now() + clock.current;
    draw.current ??= drawnRequests(element);
    draw.current(requests);
  }, [requests]);
  return (
    <section aria-labelledby="live">
      <h2 id="live">Live</h2>
      <div class="scroll rows" tabIndex={0} role="region" aria-label="Polls and events of each client">
        <lobby-marbles ref={marbles} scale="24" />
      </div>
    </section>
  );
}
