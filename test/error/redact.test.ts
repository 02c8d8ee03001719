import { ok, strictEqual } from 'node:assert';
import { redact, redactBody } from '../../src/error/index.js';

const secret = 'S3CRET-TOKEN';
const escaped = secret.replace('S', '\\u0053');

describe('redact', () => {
  it('finds a secret in a URL, however it is percent-encoded', () => {
    const token = 'a/b+c=é€.d';
    const bytes = [...new TextEncoder().encode(token)].map(byte => `%${byte.toString(16).padStart(2, '0')}`);
    for (const quoted of [
      encodeURIComponent(token),
      encodeURIComponent(token).toLowerCase(),
      encodeURI(token),
      bytes.join(''),
      bytes.join('').toUpperCase(),
    ]) {
      // What hides a secret is shown without its escapes.
      ok(redact(`/?a=1&b=${quoted}&c=%2f`, [token]).startsWith('/?a=1&b=[secret]&c='), quoted);
    }
    strictEqual(redact('/?a=%2f', ['\ud800abc', '.*.*']), '/?a=%2f');
  });
});

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
