/** The ways to aggregate a statistic that deployed servers were seen to send. */
export type KnownStatAggregation = 'sum' | 'average' | 'min' | 'max';
