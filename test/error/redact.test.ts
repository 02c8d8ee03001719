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

describe('redact, with a secret that comes back in another form', () => {
  const tokens = ['identity.abcDEF012345+/==', 'tok~en"with<&>\'quotes\\', 'Zoë-的-token'];
  const escapedBy = (escape: (code: number) => string) => (token: string) =>
    Array.from(token, character => escape(character.codePointAt(0)!)).join('');
  const hex = (code: number) => code.toString(16).padStart(2, '0');
  const percent = (token: string) => [...Buffer.from(token)].map(byte => `%${hex(byte)}`).join('');
  const unicode = (token: string) =>
    token.split('').map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''); // prettier-ignore
  const named = (token: string) =>
    token.replace(
      /[&<>"']/g,
      c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[c]!,
    );
  const escapes: Readonly<Record<string, (token: string) => string>> = {
    'not escaped': text => text,
    'as a part of a URL': encodeURIComponent,
    'as a URL': encodeURI,
    'with each byte as percent': percent,
    'with each byte as PERCENT': token => percent(token).toUpperCase(),
    'in JSON': token => JSON.stringify(token),
    'in JSON with \\u': unicode,
    'in JSON with \\U': token => unicode(token).replace(/[a-f]/g, digit => digit.toUpperCase()),
    'in JSON with \\/': token => token.replaceAll('/', '\\/'),
    'in HTML with names': named,
    'in HTML with numbers': escapedBy(code => `&#${code};`),
    'in HTML with hex': escapedBy(code => `&#x${hex(code)};`),
    'in HTML with HEX': escapedBy(code => `&#X${hex(code).toUpperCase()};`),
  };

  for (const [escape, apply] of Object.entries(escapes)) {
    it(`shows nothing of it, ${escape}`, () => {
      for (const token of tokens) {
        const shown = redact(`before ${apply(token)} after`, [token]);
        const expected = apply(token).startsWith('"') ? 'before "[secret]" after' : 'before [secret] after';
        strictEqual(shown, expected);
      }
    });
  }

  it('finds a secret in letters of any case, unless it is short', () => {
    const long = 'eyJhbGciOi.J9';
    strictEqual(
      redact(`no ${long.toUpperCase()} or ${long.toLowerCase()}`, [long]),
      'no [secret] or [secret]',
    );
    strictEqual(redact('CODE', ['code']), 'CODE');
  });

  it('finds one that has what looks like an escape, escaped in another way', () => {
    for (const [token, shown] of [
      ['s%3Aab12.cd/ef', 'bad s%3Aab12.cd\\/ef'],
      ['s%3Aab12.cdef==', 'bad s%3Aab12.cdef&#x3D;&#x3D;'],
      ['a&lt;bcdef"x', 'bad a&lt;bcdef\\"x'],
      ['tok%2Bx%252By+/=', `bad ${encodeURIComponent('tok%2Bx%252By+/=')}`],
    ] as const)
      strictEqual(redact(shown, [token]), 'bad [secret]', shown);
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

  it('keeps the code of an error whose body is nested too deeply for a recursion', () => {
    const bodyWith = (text: string) =>
      `{"code":"CODE","metadata":${'['.repeat(9_000)}"${text}"${']'.repeat(9_000)}}`;
    strictEqual(redactBody(bodyWith(secret), [secret, 'code', 'metadata']), bodyWith('[secret]'));
  });
});
