import { computed, type Resource } from '@angular/core';
import type { GroupMember } from '../../protocol/index.js';
import { debugName } from './debug-name.js';
import type { LiveRoster } from './live-roster.js';

/**
 * A roster as a `Resource` of Angular, for code that takes one. It is `loading` until the members
 * are known, and `resolved` then, also while the watch retries. Once the watch has ended with an
 * error, it is in the state `error`, and `value()` throws, as that of any resource does.
 *
 * @example
 * readonly members = toResource(injectRoster(() => group_id));
 */
export function toResource(roster: LiveRoster): Resource<ReadonlyMap<string, GroupMember> | undefined> {
  const { value: members, isLoading } = roster;
  const error = computed(() => asError(roster.error()), debugName('members.error'));
  const status = computed(() => {
    if (error()) return 'error';
    if (members()) return 'resolved';
    return isLoading() ? 'loading' : 'idle';
  }, debugName('members.status'));
  const value = computed(() => {
    const reason = error();
    if (reason) throw new Error(`The members are not known: ${reason.message}`, { cause: reason });
    return members();
  }, debugName('members.value'));
  const snapshot = computed(() => {
    const reason = error();
    return reason
      ? ({ status: 'error', error: reason } as const)
      : ({ status: status() as 'idle' | 'loading' | 'resolved', value: members() } as const);
  }, debugName('members.snapshot'));
  const hasValue = () => status() === 'resolved';
  // Its `hasValue` is a type predicate.
  return { value, status, error, isLoading, snapshot, hasValue } as ReturnType<typeof toResource>;
}

function asError(error: unknown): Error | undefined {
  if (error === undefined || error instanceof Error) return error;
  return new Error('the watch has ended', { cause: error });
}
