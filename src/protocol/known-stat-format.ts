/** The formats of a statistic that deployed servers were seen to send. */
export type KnownStatFormat =
  | 'integer'
  | 'float_1'
  | 'float_2'
  | 'float_3'
  | 'duration_minute'
  | 'duration_second'
  | 'duration_hundredth_second';
