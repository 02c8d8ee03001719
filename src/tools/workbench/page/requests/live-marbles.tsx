import { useEffect, useRef } from 'preact/hooks';
import type { LobbyMarbles } from '../../../marbles/index.js';
import type { SeenRequest, WorldView } from '../../world-view.js';
import { drawnRequests } from './drawn-requests.js';

/** The polls and events of clients. `ahead` is how far the clock of the emulator is ahead of this one, in ms. */
export function LiveMarbles({
  requests,
  groups,
  ahead,
}: {
  requests: readonly SeenRequest[];
  groups: WorldView['groups'];
  ahead: number;
}) {
  const marbles = useRef<LobbyMarbles>(null);
  const draw = useRef<ReturnType<typeof drawnRequests>>();
  const clock = useRef(ahead);
  clock.current = ahead;
  useEffect(() => {
    const element = marbles.current!;
    element.now = () => Date.now() + clock.current;
    draw.current ??= drawnRequests(element, groups);
    draw.current(requests);
  }, [requests]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Polls and events of each client">
      <lobby-marbles ref={marbles} scale="24" />
    </div>
  );
}
