import { strictEqual } from 'node:assert';
import { nearestName } from '../../src/error/index.js';

describe('the nearest name', () => {
  const known = [
    'url',
    'groupUrl',
    'token',
    'timeout',
    'linger',
    'log',
    'watch',
    'minInterval',
    'refreshInterval',
  ];

  it('is the known one that a misspelt one differs from by a letter, or two if it is long', () => {
    for (const [misspelt, meant] of [
      ['lingr', 'linger'],
      ['tokne', 'token'],
      ['timeuot', 'timeout'],
      ['groupURL', 'groupUrl'],
      ['logs', 'log'],
      ['minIntrvall', 'minInterval'],
      ['refreshInternal', 'refreshInterval'],
    ] as const)
      strictEqual(nearestName(misspelt, known), meant);
  });

  it('is none if the spelling is not near', () => {
    const guesses = ['fetch', 'logger', 'retry', 'headers', 'baseUrl', 'watches'];
    for (const misspelt of ['', 'x', 'uri2x', 'identity.0123456789abcdef', ...guesses])
      strictEqual(nearestName(misspelt, known), undefined, misspelt);
    strictEqual(nearestName('url', []), undefined);
  });
});
