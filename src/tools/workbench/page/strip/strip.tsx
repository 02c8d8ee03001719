import { drawnFor } from '../drawn-for.js';
import type { ClientRequests } from '../outcome/index.js';
import { stripOf } from './strip-of.js';

/** The size of the drawing in pixels. The page stretches its width. */
const WIDTH_PX = 400;
const HEIGHT_PX = 16;
/** The width of a mark that takes no time. */
const MIN_WIDTH_PX = 3;
const TOP = { poll: 2, event: 0, status: 13 };
const HEIGHTS = { poll: 8, event: 12, status: 3 };
/** How far into the future a mark without an end is drawn, in ms. */
const FUTURE_MS = 604_800_000;

interface StripProps {
  readonly client: ClientRequests;
  readonly from: number;
  readonly to: number;
}

/**
 * The polls and events of a client between two times, and below them its status. They are drawn
 * again only when the client has sent or got something: as time passes, another part is in view.
 */
export function Strip({ client, from, to }: StripProps) {
  const width = to - from;
  const first = client.requests[0]!.at;
  const left = ((from - first) / width) * WIDTH_PX;
  return (
    <svg
      class="strip"
      viewBox={`${left} 0 ${WIDTH_PX} ${HEIGHT_PX}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <Marks key={width} client={client} first={first} from={from} width={width} />
    </svg>
  );
}

interface MarksProps {
  readonly client: ClientRequests;
  /** The time at x = 0. */
  readonly first: number;
  /** Marks that end before this time are not drawn. */
  readonly from: number;
  /** How much time is as wide as the strip, in ms. */
  readonly width: number;
}

const Marks = drawnFor(
  ({ client }: MarksProps) => client,
  ({ client, first, from, width }) => {
    const x = (at: number) => ((at - first) / width) * WIDTH_PX;
    return stripOf(client, from + FUTURE_MS)
      .filter(mark => mark.to >= from)
      .map((mark, i) => (
        <rect
          key={i}
          class={`${mark.shape} ${mark.look}`}
          x={x(mark.from)}
          y={TOP[mark.shape]}
          width={Math.max(MIN_WIDTH_PX, x(mark.to) - x(mark.from))}
          height={mark.look === 'gone' ? 1 : HEIGHTS[mark.shape]}
        />
      ));
  },
);
