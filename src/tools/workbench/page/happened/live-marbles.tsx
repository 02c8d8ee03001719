import { useEffect, useRef } from 'preact/hooks';
import type { LobbyMarbles } from '../../../marbles/index.js';
import type { SeenAction, SeenRequest, WorldView } from '../../world-view.js';
import { drawnRequests } from './drawn-requests.js';

/** The polls and events of clients, and what was done to them. `ahead` is how far the clock of the emulator is ahead of this one, in ms. */
export function LiveMarbles({
  requests,
  actions,
  groups,
  ahead,
  isPaused,
  mark,
  pick,
}: {
  requests: readonly SeenRequest[];
  actions: readonly SeenAction[];
  groups: WorldView['groups'];
  ahead: number;
  isPaused: boolean;
  /** What is chosen in the list, by its time. */
  mark: number | undefined;
  /** Called with the time of what is chosen in the picture. */
  pick: (at: number) => void;
}) {
  const marbles = useRef<LobbyMarbles>(null);
  const draw = useRef<ReturnType<typeof drawnRequests>>();
  const clock = useRef(ahead);
  const onPick = useRef(pick);
  clock.current = ahead;
  onPick.current = pick;
  useEffect(() => {
    const element = marbles.current!;
    element.now = () => Date.now() + clock.current;
    draw.current = drawnRequests(element, groups);
    const picked = (event: Event) => onPick.current((event as CustomEvent<{ at: number }>).detail.at);
    element.addEventListener('pick', picked);
    return () => element.removeEventListener('pick', picked);
  }, []);
  useEffect(() => draw.current!(requests, actions), [requests, actions]);
  useEffect(() => {
    marbles.current!.paused = isPaused;
    marbles.current!.mark = mark;
  }, [isPaused, mark]);
  return <lobby-marbles ref={marbles} scale="24" />;
}
