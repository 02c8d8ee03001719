/**
 * By how much two creation times of one stream may differ, in ms. All servers of a cluster have the
 * time at which the stream was assigned to them. Before NATS 2.12.4, a server has a time of its own
 * from when it makes or loads its copy until it reads the assignment. A stream that replaces
 * another one differs by the age of the other one, which is much more.
 */
const TOLERANCE_MS = 100;

/** Whether two creation times are those of the same stream, which was not created again. */
export function isSameStream(created: string, other: string): boolean {
  return Math.abs(Date.parse(created) - Date.parse(other)) <= TOLERANCE_MS;
}
