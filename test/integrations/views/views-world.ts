import type { Observable } from 'rxjs';
import { virtualWorld } from '../../virtual-world.js';

/** A client in virtual time, whose identity is in a group. */
export function viewsWorld() {
  const world = virtualWorld({ random: () => 0.5 });
  const { emulator, identity_id } = world;
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const openPolls = () => emulator.requests.filter(({ pending }) => pending).length;
  /** Requests are refused for good until the returned function is called. */
  const refuse = () => emulator.fault({ kind: 'error', status: 403 }, { times: Infinity });
  return { ...world, group_id, openPolls, refuse };
}

/** What a subscriber hears, each value as a text, and how it ended. */
export function heard<T>(source$: Observable<T>, textOf: (value: T) => string) {
  const lines: string[] = [];
  const subscription = source$.subscribe({
    next: value => lines.push(textOf(value)),
    error: () => lines.push('error'),
    complete: () => lines.push('complete'),
  });
  return { lines, leave: () => subscription.unsubscribe() };
}
