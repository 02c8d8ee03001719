import { ok, strictEqual } from 'node:assert';
import { redactBody } from '../../src/error/index.js';

const secret = 'S3CRET-TOKEN';
const escaped = secret.replace('S', '\\u0053');

describe('redactBody', () => {
  it('finds a secret in JSON, however it is escaped, and in other text as it is', () => {
    strictEqual(redactBody(`{"message":"${escaped} is wrong"}`, [secret]), '{"message":"[secret] is wrong"}');
    strictEqual(redactBody(`<p>${secret}</p>`, [secret]), '<p>[secret]</p>');
  });

  it('shows nothing of a body that is nested too deeply to look into', () => {
    const depth = 20_000;
    const deep = `${'['.repeat(depth)}"${escaped}"${']'.repeat(depth)}`;
    const body = redactBody(`{"message":"${escaped}","metadata":${deep}}`, [secret]);
    ok(!body.includes(secret) && !body.includes(escaped));
  });
});
