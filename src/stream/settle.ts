import type { Outcome } from './outcome.js';
import { settleAnswer } from './settle-answer.js';
import { settleFailure } from './settle-failure.js';
import { settleNothing } from './settle-nothing.js';
import type { Turn } from './turn.js';
import { WAKE_JITTER } from './wake-jitter.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchState } from './watch-state.js';

/** The laws of the watch, as one pure step: what a poll's outcome means in the state it found. */
export function settle<A>(state: WatchState<A>, outcome: Outcome<A>, settings: WatchSettings<A>): Turn<A> {
  switch (outcome.kind) {
    case 'answer':
      return settleAnswer(state, outcome.answer, outcome.askedAt, settings);
    case 'failure':
      return settleFailure(state, outcome.error, settings.judge(outcome.error), settings);
    case 'woken':
      return { signals: [], state, wait: Math.round(settings.random() * WAKE_JITTER), why: 'woke' };
    case 'deadline':
      return settleNothing(state, 'retrying', settings);
    case 'nothing':
      return settleNothing(state, 'live', settings);
  }
}
