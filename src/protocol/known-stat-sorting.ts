/** The orders of a statistic that deployed servers were seen to send. */
export type KnownStatSorting = 'desc' | 'asc';
