import { printable } from '../../../error/index.js';
import type { FleetStatus, FleetStream } from '../../../integrations/fleet/index.js';
import { seconds, type FleetProblem } from './fleet-problems.js';

/** A fleet as lines for people. */
export function fleetTable(status: FleetStatus, problems: readonly FleetProblem[]): string {
  const { fleet, shards, lease, workers, consumers, deliveries, streams } = status;
  const connected = (subjects: string) => deliveries.filter(other => other.subjects === subjects).length;
  const parts = [
    [`${fleet}  ${shards} shards, lease ${seconds(lease)}`],
    table(
      ['worker', 'beat', 'shards', 'identities', 'live', 'retrying', 'rejected', 'waiting', 'late'],
      workers.map(({ worker, age, shards, identities, live, retrying, rejected, waiting, late }) => [
        worker,
        seconds(age),
        ...[shards, identities, live, retrying, rejected, waiting].map(count),
        `${late} ms`,
      ]),
    ),
    table(
      ['consumer', 'left', 'oldest', 'readers', 'subjects'],
      consumers.map(({ durable, messages, age, subjects }) => [
        durable,
        count(messages),
        seconds(age),
        count(connected(subjects)),
        subjects,
      ]),
    ),
    table(['stream', 'copies', 'leader', 'messages', 'bytes', 'keeps'], streams.map(streamCells)),
    problems.length === 0
      ? ['✔ no problem']
      : problems.map(({ of, text }) => `✖ ${printable(of)}: ${printable(text)}`),
  ];
  return parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
}

function streamCells({ name, replicas, copies, messages, bytes, maxAge, maxBytes }: FleetStream): string[] {
  const current = copies.filter(({ isCurrent, isOffline }) => isCurrent && !isOffline).length;
  const limits = [
    maxAge > 0 ? `for ${seconds(maxAge)}` : '',
    maxBytes > 0 ? `up to ${count(maxBytes)} bytes` : '',
  ];
  return [
    name,
    // A server outside of a cluster has the only copy.
    copies.length > 0 ? `${current} of ${replicas}` : count(replicas),
    copies.find(({ isLeader }) => isLeader)?.server ?? '-',
    count(messages),
    count(bytes),
    limits.filter(Boolean).join(', ') || 'all',
  ];
}

const count = (value: number) => value.toLocaleString('en');

/** Rows under their names. Columns of numbers are as wide as they need. No lines without a row. */
function table(names: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = [names, ...rows.map(row => row.map(cell => printable(cell)))];
  const widths = names.map((_, column) => Math.max(...cells.map(row => row[column]!.length)));
  return cells.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
