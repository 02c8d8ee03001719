import { describe, InputError } from '../error/index.js';
import type { Stat } from './game.js';

/** One language tag, or several in order of preference. `undefined` for that of the platform. */
type Locale = string | readonly string[] | undefined;

/** The digits after the decimal point, by format. */
const FRACTIONS = new Map([
  ['integer', 0],
  ['float_1', 1],
  ['float_2', 2],
  ['float_3', 3],
]);

/**
 * For each format of a duration, the units in which it is shown, and the length of the value's unit
 * in hundredths of a second.
 */
const DURATIONS = new Map([
  ['duration_minute', { unit: 6_000, shown: ['hour', 'minute'], digits: 0 }],
  ['duration_second', { unit: 100, shown: ['hour', 'minute', 'second'], digits: 0 }],
  ['duration_hundredth_second', { unit: 1, shown: ['hour', 'minute', 'second'], digits: 2 }],
]);
const LENGTHS: Readonly<Record<string, number>> = { hour: 360_000, minute: 6_000, second: 100 };

/**
 * The text of a statistic for a player to read: its value with its prefix and its postfix. If the
 * value is exactly 1, they are those of the singular (docs/the-service.md, 2.6). Formats that are
 * known from deployed servers decide how many digits a number has, or that it is a duration. A
 * duration is in the unit of the format's name: `65` is `1h 5m` as a `duration_minute`. A value of
 * any other format is a plain number. `locale` is a language tag, or several. By default, it is
 * that of the platform.
 *
 * Throws an `InputError` if the locale is no language tag.
 *
 * @example
 * show(`${stat.config.display_name}: ${statText(stat, 'de')}`);
 */
export function statText(
  { config, overall_value: value }: Stat,
  locale?: string | readonly string[],
): string {
  const isOne = value === 1;
  const prefix = isOne ? config.prefix_singular : config.prefix_plural;
  const postfix = isOne ? config.postfix_singular : config.postfix_plural;
  return `${prefix ?? ''}${valueText(value, config.format, locale)}${postfix ?? ''}`;
}

function valueText(value: number, format: string, locale: Locale): string {
  const duration = DURATIONS.get(format);
  if (!duration) {
    const digits = FRACTIONS.get(format);
    return numberText(value, locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const { unit, shown, digits } = duration;
  const last = shown.at(-1)!;
  // The value is rounded before it is divided. Otherwise there might be 60 s.
  const step = LENGTHS[last]! / 10 ** digits;
  let rest = Math.round((Math.abs(value) * unit) / step) * step;
  const parts: string[] = [];
  for (const name of shown) {
    const length = LENGTHS[name]!;
    const count = name === last ? rest / length : Math.floor(rest / length);
    rest -= count * length;
    if (count === 0 && (name !== last || parts.length > 0)) continue;
    const sign = value < 0 && parts.length === 0 ? -1 : 1;
    const options = {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    } as const;
    parts.push(numberText(sign * count, locale, options));
  }
  return parts.join(' ');
}

function numberText(value: number, locale: Locale, options: Intl.NumberFormatOptions): string {
  try {
    const format = new Intl.NumberFormat(locale as string | string[] | undefined, options);
    // A value that is rounded to nothing has no sign.
    const isNothing = format.format(value) === format.format(-0);
    return format.format(isNothing ? 0 : value);
  } catch {
    throw new InputError('locale', "a language tag, such as 'de' or 'en-GB', or several", describe(locale));
  }
}
