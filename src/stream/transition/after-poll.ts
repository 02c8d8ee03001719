import type { PollEnd, WatchSignal } from '../watch-signal.js';
import type { Contact, Outcome } from './outcome.js';
import { nextPace } from './pace.js';
import { checkpointAt, nextPosition } from './position.js';
import { nextHealth } from './status.js';
import type { Delivery, Position, Transition, Turn } from './watch-state.js';

/** The transition after a poll. Each part of the state depends on the parts before it. */
export function afterPoll<A>(turn: Turn<A>, outcome: Outcome<A>, why = whyOf(outcome)): Transition<A> {
  const { state } = turn;
  const position = nextPosition(turn, outcome);
  const pace = nextPace(turn, outcome, position);
  const { health, signals } = nextHealth(turn, outcome, position, pace);
  const needsFreshConnection =
    outcome.kind !== 'contact' &&
    (state.needsFreshConnection || ('isTimeout' in outcome && outcome.isTimeout));
  return {
    why,
    signals,
    state: { ...state, position, pace, health, needsFreshConnection },
    delivery: outcome.kind === 'contact' ? deliveryOf(turn, outcome, position) : undefined,
    end: outcome.kind === 'end' ? outcome.end : undefined,
  };
}

function whyOf(outcome: Outcome<unknown>): PollEnd {
  switch (outcome.kind) {
    case 'contact':
      return outcome.answered?.isNews === true ? 'news' : 'no_news';
    case 'echo':
      return 'stale';
    case 'cut':
      return 'cut';
    case 'failure':
      return outcome.retryAfter === undefined ? 'failed' : 'retry_after';
    case 'end':
      return 'ended';
  }
}

function deliveryOf<A>(
  { state, now, settings }: Turn<A>,
  outcome: Contact<A>,
  position: Position,
): Delivery<A> | undefined {
  const { answered, gap: due } = outcome;
  if ('unmoved' in outcome)
    return {
      answer: outcome.unmoved,
      checkpoint: checkpointAt(state.position),
      gap: undefined,
      signals: [],
    };
  if (!answered) return undefined;
  const { answer, isEmpty, isNews } = answered;
  const checkpoint = checkpointAt(position);
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'checkpoint', checkpoint };
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  return {
    answer: isNews || isEmpty ? answer : settings.withoutNews(answer),
    checkpoint,
    gap,
    signals: gap && !due.emitted ? [{ kind: 'gap', gap }, signal] : [signal],
  };
}
