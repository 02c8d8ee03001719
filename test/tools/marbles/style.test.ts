import { deepStrictEqual, ok } from 'node:assert';
import { STYLE } from '../../../src/tools/marbles/style.js';

/** What WCAG asks for of text. */
const LEAST = 4.5;
type Rgb = readonly [number, number, number];

const hex = (text: string): Rgb => {
  const full = text.length === 4 ? text.replace(/[0-9a-f]/g, '$&$&') : text;
  return [1, 3, 5].map(i => Number.parseInt(full.slice(i, i + 2), 16) / 255) as unknown as Rgb;
};
const hsl = (hue: number, saturation: number, lightness: number): Rgb =>
  [0, 8, 4].map(n => {
    const k = (n + hue / 30) % 12;
    return (
      lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    );
  }) as unknown as Rgb;
const luminance = (rgb: Rgb) => {
  const [r, g, b] = rgb.map(c => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one: Rgb, other: Rgb) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};
/** The light and the dark one of a rule. */
const coloursOf = (selector: string) => {
  const rule = STYLE.split('\n').find(line => line.startsWith(`${selector} {`))!;
  return /fill: light-dark\((#\w+), (#\w+)\)/.exec(rule)!.slice(1).map(hex);
};

describe('marbles can be read', () => {
  it('whatever hue a kind has', () => {
    const letters = coloursOf('svg .marble text');
    const fills = /hsl\(var\(--hue\) (\d+)% (\d+)%\), hsl\(var\(--hue\) (\d+)% (\d+)%\)/
      .exec(STYLE)!
      .slice(1);
    const [s1, l1, s2, l2] = fills.map(part => Number(part) / 100) as [number, number, number, number];
    const unreadable = Array.from({ length: 360 }, (_, hue) => hue).filter(
      hue =>
        contrast(letters[0]!, hsl(hue, s1, l1)) < LEAST || contrast(letters[1]!, hsl(hue, s2, l2)) < LEAST,
    );
    deepStrictEqual(unreadable, []);
  });

  it('and so can signs, in both schemes', () => {
    const grounds = [hex('#fff'), hex('#0d1117')];
    for (const selector of ['svg .sign text', 'svg .sign.gap text', 'svg .sign.woken text'])
      for (const [i, colour] of coloursOf(selector).entries())
        ok(contrast(colour, grounds[i]!) >= LEAST, `${selector}: ${contrast(colour, grounds[i]!)}`);
  });
});
