import { concatMap, defer, type OperatorFunction } from 'rxjs';
import type { GroupMember } from '../../protocol/index.js';
import type { WatchSignal, WatchStatus } from '../../stream/index.js';

/** What a page of a group shows. */
export interface Page {
  readonly members: readonly GroupMember[];
  /** The anchor of the next page; undefined at the end of the chain. */
  readonly following: string | undefined;
}

/** What happens in the watch of a page. */
export interface PageSignal {
  /** The number of pages before it. */
  readonly depth: number;
  readonly signal: WatchSignal<Page>;
}

/** A page in the chain, which is undefined before its first answer. */
interface Link {
  readonly status: WatchStatus;
  readonly page?: Page;
}

/** From the best to the worst. A watch that has just been started says nothing about the others. */
const STATES: readonly WatchStatus['state'][] = [
  'connecting',
  'live',
  'acknowledging',
  'retrying',
  'offline',
  'closed',
];

/**
 * Makes the signals of the pages of a group into those of one watch: all members, the worst status, and one gap until there is an
 * answer. Members are emitted only when all pages have been received: a member who has just moved to another page must not seem
 * to have left.
 */
export function jointSignals(): OperatorFunction<PageSignal, WatchSignal<readonly GroupMember[]>> {
  return page$ =>
    defer(() => {
      let chain: readonly Link[] = [];
      let status: WatchStatus | undefined;
      let isGapEmitted = false;

      const statusSignals = (latest = status): readonly WatchSignal<never>[] => {
        const before = status;
        status = worstStatus(chain, latest);
        if (status.state === 'live') isGapEmitted = false;
        const isSame = status === before || (status.state === before?.state && status.nextTry === undefined);
        return isSame ? [] : [{ kind: 'status', status }];
      };
      return page$.pipe(
        concatMap(({ depth, signal }): readonly WatchSignal<readonly GroupMember[]>[] => {
          if (signal.kind === 'idle') return [];
          if (signal.kind === 'gap') {
            if (isGapEmitted) return [];
            isGapEmitted = true;
            return [signal];
          }
          const link = chain[depth];
          if (signal.kind === 'status') {
            chain = [...chain.slice(0, depth), { ...link, status: signal.status }, ...chain.slice(depth + 1)];
            return statusSignals(signal.status);
          }
          const page = signal.answer;
          // If the anchor has changed, the pages after it are dropped and never combined with the new ones.
          const after = link?.page?.following === page.following ? chain.slice(depth + 1) : [];
          chain = [...chain.slice(0, depth), { status: link!.status, page }, ...after];
          const last = chain.at(-1)?.page;
          if (!last || last.following !== undefined) return statusSignals();
          isGapEmitted = false;
          const answer = chain.flatMap(({ page }) => page!.members);
          return [{ kind: 'answer', answer }, ...statusSignals()];
        }),
      );
    });
}

/** The worst status of a chain; of equals the latest, if it is that of a link. */
function worstStatus(chain: readonly Link[], latest: WatchStatus | undefined): WatchStatus {
  const rank = ({ state }: WatchStatus) => STATES.indexOf(state);
  const statuses = chain.map(({ status }) => status);
  const first = latest && statuses.includes(latest) ? latest : statuses[0]!;
  return statuses.reduce((worst, status) => (rank(status) > rank(worst) ? status : worst), first);
}
