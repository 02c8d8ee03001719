import type { Step } from './play-turn.js';
import type { WatchSettings } from './watch-settings.js';

/** Tells the log what the loop has decided. */
export function logStep<A>(step: Step<A>, { log, scheduler }: WatchSettings<A>): void {
  const at = scheduler.now();
  if (step.kind === 'gap') log({ kind: 'gap', at, reason: step.gap.reason, index: step.gap.index });
  if (step.kind !== 'done' || step.turn.why === 'start') return;
  const { why, wait, state } = step.turn;
  log({ kind: 'turn', at, why, wait, attempt: state.status.attempt, error: state.status.error });
}
