import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { EMPTY, firstValueFrom, lastValueFrom, of } from 'rxjs';
import { slotFiles, type SlotFiles } from 'lobby-rx/lobby-server';
import { interleaved } from './measure.js';
import type { Report } from './report.js';

const ROUNDS = 15;
/** How many players come in and leave in a round. */
const ADMISSIONS = 200;
/** How many a killed process has left. */
const LEFT = 2_000;

/** A service that answers at once: only the files take time. */
const client = { matchmaker: { players: { connected: () => of(undefined), disconnected: () => EMPTY } } };

let tokens = 0;

/**
 * A file system without a disk. On ext4 a new file took 20 µs in one folder and 500 µs in another,
 * wherever the players were: that says nothing of `slotFiles`.
 */
const MEMORY = '/dev/shm';

/**
 * What an admission takes with many players in, and how long a start after a kill blocks the
 * process.
 */
export async function benchSlotFiles(report: Report): Promise<void> {
  const disk = mkdtempSync(join(tmpdir(), 'slots-'));
  const memory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : disk, 'slots-'));
  const few = await withPlayers(memory, 10);
  const many = await withPlayers(memory, 4_000);
  const fewOnDisk = await withPlayers(disk, 10);
  const manyOnDisk = await withPlayers(disk, 4_000);
  const rounds = await interleaved(
    {
      many: () => comeAndGo(many),
      few: () => comeAndGo(few),
      manyOnDisk: () => comeAndGo(manyOnDisk),
      fewOnDisk: () => comeAndGo(fewOnDisk),
    },
    { rounds: ROUNDS },
  );
  report.heading(`A player who is admitted and leaves, with slotFiles, median of ${ROUNDS} rounds`);
  report.row('with 10 players in', rounds.median('few'), 'µs');
  report.row('with 4,000 players in', rounds.median('many'), 'µs');
  report.row('4,000 / 10', rounds.ratio('many', 'few'), '×', 1.2);
  report.row('with 10 players in, on a disk', rounds.median('fewOnDisk'), 'µs');
  report.row('with 4,000 players in, on a disk', rounds.median('manyOnDisk'), 'µs');

  await withPlayers(disk, LEFT);
  const folder = join(disk, `${LEFT}`);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  slotFiles({ client, folder, gate: 'a' });
  const call = performance.now() - start;
  const filesLeft = () => readdirSync(folder).some(name => readdirSync(join(folder, name)).length > 0);
  while (filesLeft()) await new Promise(resolve => setTimeout(resolve, 20));
  delay.disable();
  report.heading(`A start with ${LEFT} files that a killed process has left`);
  report.row('the longest time that nothing else ran', Math.max(call, delay.max / 1e6), 'ms', 50);
  report.row('until all are free', performance.now() - start, 'ms');
  rmSync(memory, { recursive: true });
  rmSync(disk, { recursive: true });
}

async function withPlayers(root: string, count: number): Promise<SlotFiles> {
  const slots = slotFiles({ client, folder: join(root, `${count}`), gate: 'a' });
  for (let i = 0; i < count; i++) await enter(slots, `player-${tokens++}`);
  return slots;
}

function enter({ client: { matchmaker } }: SlotFiles, player_token: string): Promise<unknown> {
  return firstValueFrom(matchmaker.players.connected({ player_token }));
}

/** The time of one admission and one freed slot, in µs. */
async function comeAndGo(slots: SlotFiles): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < ADMISSIONS; i++) {
    const token = `guest-${tokens++}`;
    await enter(slots, token);
    await lastValueFrom(slots.freeSlot(token), { defaultValue: undefined });
  }
  return ((performance.now() - start) / ADMISSIONS) * 1_000;
}
