import { strictEqual } from 'node:assert';
import { didYouMean } from '../../src/error/did-you-mean.js';

describe('did you mean', () => {
  const known = ['url', 'groupUrl', 'token', 'linger', 'log', 'watch'];

  it('names the known name that is most like a misspelt one', () => {
    for (const [misspelt, meant] of [
      ['lingr', 'linger'],
      ['tokne', 'token'],
      ['groupURL', 'groupUrl'],
      ['Group_Url', 'groupUrl'],
      ['logs', 'log'],
      ['watches', 'watch'],
    ] as const)
      strictEqual(didYouMean(misspelt, known), ` (did you mean ${meant}?)`);
  });

  it('is silent about a name that is like none', () => {
    for (const misspelt of ['', 'x', 'timeout', 'uri2x', 'identity.0123456789abcdef'])
      strictEqual(didYouMean(misspelt, known), '');
    strictEqual(didYouMean('url', []), '');
  });
});
