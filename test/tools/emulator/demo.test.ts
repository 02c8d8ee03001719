import { deepStrictEqual, strictEqual } from 'node:assert';
import { take } from 'rxjs';
import { createEmulator, seedWorld, simulateActivity, type ActivityConfig } from 'lobby-rx/emulator';
import { virtualTime } from '../../virtual-time.js';

/** The first `count` activities in a new world. */
function activities(count: number, members: number, config: ActivityConfig = {}) {
  const { scheduler } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const seen: string[] = [];
  const start = scheduler.now();
  simulateActivity(emulator, seedWorld(emulator, { members }), { scheduler, ...config })
    .pipe(take(count))
    .subscribe(activity => seen.push(activity));
  scheduler.flush();
  return { seen, every: (scheduler.now() - start) / count, saved: emulator.save() };
}

describe('simulated activity', () => {
  it('includes all kinds, and is the same for the same seed', () => {
    const { seen, saved } = activities(50, 20);
    strictEqual(seen.length, 50);
    deepStrictEqual([...new Set(seen)].sort(), ['chat', 'lobby', 'members', 'presence', 'profile']);
    deepStrictEqual(activities(50, 20), { seen, saved, every: activities(50, 20).every });
  });

  it('has only the configured kinds, at the configured rate', () => {
    const { seen, every } = activities(2_000, 20, { activities: ['chat', 'profile'], every: 50 });
    deepStrictEqual([...new Set(seen)].sort(), ['chat', 'profile']);
    strictEqual(Math.round(every / 10) * 10, 50);
  });

  it('continues if the lobby is full, and in a world with one member', () => {
    const { seen, saved } = activities(2_000, 1, { every: 10 });
    strictEqual(seen.length, 2_000);
    strictEqual(saved.players.length, 64);
  });
});
