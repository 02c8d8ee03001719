import * as t from 'io-ts';
import { integer, struct, suggested, type Codec } from './codec.js';

/** A short description of a game (docs/the-service.md, 2.6). */
export interface GameHandle {
  readonly game_id: string;
  /** A short human-readable identifier without special characters. */
  readonly name_id: string;
  readonly display_name: string;
  /** URL of the banner image. Absent or null if the game has none. */
  readonly banner_url?: string | null | undefined;
  /** URL of the logo image. Absent or null if the game has none. */
  readonly logo_url?: string | null | undefined;
}

export const GameHandle: Codec<GameHandle> = struct(
  'GameHandle',
  { game_id: t.string, name_id: t.string, display_name: t.string },
  { banner_url: t.string, logo_url: t.string },
);

/** The values observed on deployed servers for how a statistic is computed. */
export type KnownStatAggregation = 'sum' | 'average' | 'min' | 'max';

/** The values observed on deployed servers for how a statistic is formatted. */
export type KnownStatFormat =
  | 'integer'
  | 'float_1'
  | 'float_2'
  | 'float_3'
  | 'duration_minute'
  | 'duration_second'
  | 'duration_hundredth_second';

/**
 * The values observed on deployed servers for whether the highest or the lowest value is the best.
 */
export type KnownStatSorting = 'desc' | 'asc';

/** How a statistic is computed and shown (docs/the-service.md, 2.6). */
export interface StatConfig {
  readonly record_id: string;
  readonly icon_id: string;
  readonly display_name: string;
  /**
   * How the statistic is computed. The document does not list the values. Known values are
   * suggested, others are accepted, too.
   */
  readonly aggregation: KnownStatAggregation | (string & {});
  /** How the value is formatted. The document does not list the values. */
  readonly format: KnownStatFormat | (string & {});
  /** How values are ordered. The document does not list the values. */
  readonly sorting: KnownStatSorting | (string & {});
  readonly priority: number;
  /** Prepended to a value of exactly 1. Absent or null if the statistic has none. */
  readonly prefix_singular?: string | null | undefined;
  /** Prepended to any other value. Absent or null if the statistic has none. */
  readonly prefix_plural?: string | null | undefined;
  /** Appended to a value of exactly 1. Absent or null if the statistic has none. */
  readonly postfix_singular?: string | null | undefined;
  /** Appended to any other value. Absent or null if the statistic has none. */
  readonly postfix_plural?: string | null | undefined;
}

export const StatConfig: Codec<StatConfig> = struct(
  'StatConfig',
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

/** One statistic of a player in a game (docs/the-service.md, 2.6). */
export interface Stat {
  readonly config: StatConfig;
  /** The overall value, in the unit given by `config.format`. */
  readonly overall_value: number;
}

export const Stat: Codec<Stat> = struct('Stat', { config: StatConfig, overall_value: t.number });
