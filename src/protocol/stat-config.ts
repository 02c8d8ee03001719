import * as t from 'io-ts';
import { integer } from './integer.js';
import type { KnownStatAggregation } from './known-stat-aggregation.js';
import type { KnownStatFormat } from './known-stat-format.js';
import type { KnownStatSorting } from './known-stat-sorting.js';
import { suggested } from './suggested.js';
import { struct } from './struct.js';

/**
 * How a statistic is made and shown (interface document, 2.6). `singular` fixes belong to a value of exactly 1. The
 * document does not show what `aggregation`, `format` and `sorting` may be, so they stay texts; the values that were
 * seen are suggested by `KnownStatAggregation`, `KnownStatFormat` and `KnownStatSorting`.
 */
export const StatConfig = struct(
  {
    record_id: t.string,
    icon_id: t.string,
    display_name: t.string,
    aggregation: suggested<KnownStatAggregation>(),
    format: suggested<KnownStatFormat>(),
    sorting: suggested<KnownStatSorting>(),
    priority: integer,
  },
  {
    prefix_singular: t.string,
    prefix_plural: t.string,
    postfix_singular: t.string,
    postfix_plural: t.string,
  },
);
export type StatConfig = t.TypeOf<typeof StatConfig>;
