import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { assert as check, double, constantFrom, property } from 'fast-check';
import { InputError, statText, type Stat } from 'lobby-rx';

const stat = (overall_value: number, config: Partial<Stat['config']> = {}): Stat => ({
  overall_value,
  config: {
    record_id: 'r',
    icon_id: 'i',
    display_name: 'Wins',
    priority: 1,
    aggregation: 'sum',
    format: 'integer',
    sorting: 'desc',
    ...config,
  },
});

describe('statText', () => {
  it('has the prefix and postfix of the singular only if the value is exactly 1', () => {
    const config = {
      prefix_singular: '<',
      prefix_plural: '«',
      postfix_singular: ' win',
      postfix_plural: ' wins',
      format: 'float_1',
    };
    const values = [0, 1, 1.04, 2, -1].map(value => statText(stat(value, config), 'en'));
    deepStrictEqual(values, ['«0.0 wins', '<1.0 win', '«1.0 wins', '«2.0 wins', '«-1.0 wins']);
    strictEqual(statText(stat(1, { prefix_singular: null, postfix_plural: ' wins' }), 'en'), '1');
  });

  it('follows the format, and the locale', () => {
    const textIn = (locale: string, value: number, format: string) =>
      statText(stat(value, { format }), locale).replace(/\u00a0/g, ' ');
    for (const [format, value, en, de] of [
      ['integer', 1_234.5, '1,235', '1.235'],
      ['integer', -0.2, '0', '0'],
      ['float_1', 1_234.56, '1,234.6', '1.234,6'],
      ['float_2', 0.5, '0.50', '0,50'],
      ['float_3', 2, '2.000', '2,000'],
      ['percent_of_moon', 0.12345, '0.123', '0,123'],
      ['constructor', 2, '2', '2'],
    ] as const) {
      deepStrictEqual([textIn('en', value, format), textIn('de', value, format)], [en, de], format);
    }
    // Units differ from one release of a platform to the next, except in English.
    for (const [format, value, en] of [
      ['duration_minute', 65, '1h 5m'],
      ['duration_minute', 0, '0m'],
      ['duration_minute', 60, '1h'],
      ['duration_second', 3_599.6, '1h'],
      ['duration_second', 3_605, '1h 5s'],
      ['duration_second', -65, '-1m 5s'],
      ['duration_hundredth_second', 6_525, '1m 5.25s'],
    ] as const) {
      strictEqual(textIn('en', value, format), en);
    }
    strictEqual(statText(stat(1.5, { format: 'float_1' }), ['de', 'en']), '1,5');
    strictEqual(typeof statText(stat(2)), 'string');
  });

  it('shows every value somehow, and never sixty seconds', () => {
    const formats = constantFrom(
      'integer',
      'duration_minute',
      'duration_second',
      'duration_hundredth_second',
      '',
    );
    check(
      property(double({ noNaN: true, min: -1e12, max: 1e12 }), formats, (value, format) => {
        const text = statText(stat(value, { format }), 'en');
        strictEqual(/^-?\d[\d,.]*[hms]?( [\d.]+[ms])*$/.test(text), true, text);
        strictEqual(/\b60(\.0+)?[ms]/.test(text), false, text);
      }),
    );
  });

  it('refuses what is no language tag', () => {
    throws(() => statText(stat(1), 'no tag'), InputError);
    throws(
      () => statText(stat(1), 'no tag'),
      /locale must be a language tag, .* got a string of 6 characters/,
    );
  });
});
