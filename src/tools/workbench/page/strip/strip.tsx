import { useMemo } from 'preact/hooks';
import type { ClientRequests } from '../outcome/index.js';
import { stripOf } from './strip-of.js';

/** The size of the drawing in pixels. The page stretches its width. */
const WIDTH_PX = 400;
const HEIGHT_PX = 16;
/** The width of a mark that takes no time. */
const MIN_WIDTH_PX = 3;
const TOP = { poll: 2, event: 0, status: 13 };
const HEIGHTS = { poll: 8, event: 12, status: 3 };

interface StripProps {
  readonly client: ClientRequests;
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/**
 * The polls and events of a client between two times, and below them its status. It is drawn again
 * when the client has sent something, and each second.
 */
export function Strip(props: StripProps) {
  const { client, to } = props;
  return useMemo(() => <Marks {...props} />, [client, Math.floor(to / 1_000)]);
}

function Marks({ client, from, to, now }: StripProps) {
  const x = (at: number) => ((Math.min(Math.max(at, from), to) - from) / (to - from)) * WIDTH_PX;
  return (
    <svg class="strip" viewBox={`0 0 ${WIDTH_PX} ${HEIGHT_PX}`} preserveAspectRatio="none" aria-hidden="true">
      {stripOf(client, now)
        .filter(mark => mark.to >= from && mark.from <= to)
        .map((mark, i) => (
          <rect
            key={i}
            class={`${mark.shape} ${mark.look}`}
            x={x(mark.from)}
            y={TOP[mark.shape]}
            width={Math.max(MIN_WIDTH_PX, x(mark.to) - x(mark.from))}
            height={mark.look === 'gone' ? 1 : HEIGHTS[mark.shape]}
          />
        ))}
    </svg>
  );
}
