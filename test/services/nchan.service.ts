import { deepStrictEqual } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { watchSignals, type IndexingConfig } from 'lobby-rx';
import { freePort } from '../free-port.js';
import { followed } from './followed.js';
import { Server, until } from './server.js';

interface Message {
  readonly text: string;
  /** Its time, and its place among those of that second. */
  readonly index: string;
}

describe('a watch of Nchan, by long polling', function () {
  this.timeout(120_000);
  let server: Server;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    server = new Server(
      'nginx',
      folder => ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
      `${base}/`,
    );
    const folder = await server.prepare('lobby-rx-nchan-');
    await writeFile(
      join(folder, 'nginx.conf'),
      `
      daemon off; master_process off; pid ${folder}/pid;
      load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
      events {}
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        server {
          listen 127.0.0.1:${port};
          location = /send { nchan_publisher; nchan_channel_id game; nchan_message_buffer_length 2000; }
          location = /receive { nchan_subscriber longpoll; nchan_channel_id game; nchan_subscriber_timeout 3s; }
        }
      }`,
    );
    await server.start();
  });
  after(() => server.remove());

  const poll = async (index: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    const [time = '', tag = ''] = index?.split('|') ?? [];
    const headers: Record<string, string> = index ? { 'if-modified-since': time, 'if-none-match': tag } : {};
    const response = await fetch(`${base}/receive`, { headers, signal });
    // It gives up a poll without news by a 408 or a 304.
    if (response.status === 408 || response.status === 304) return { text: '', index: index ?? '' };
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const next = [response.headers.get('last-modified'), response.headers.get('etag')].join('|');
    return { text: await response.text(), index: next } satisfies Message;
  };

  it('sees 500 messages once and in order, of which each is sent twice', async () => {
    const send = (text: string) => fetch(`${base}/send`, { method: 'POST', body: text });
    await send('m0');
    const config: IndexingConfig<Message> = {
      indexOf: 'index',
      isEmpty: ({ text }) => text === '',
      // What equals the message before, at once, is paid for.
      minInterval: 10,
    };
    const { seen, stop } = followed(watchSignals(poll, config), ({ text }) => [text]);
    const texts = Array.from({ length: 500 }, (_, i) => `m${i >> 1}`);
    for (const text of texts.slice(1, 250)) await send(text);
    // Some come while nothing is new for a while.
    await until(() => seen.length >= 250, 'half of them');
    for (const text of texts.slice(250)) await send(text);
    await until(() => seen.length >= 500, 'all of them');
    stop();
    deepStrictEqual(
      seen,
      texts.map(event => ({ event })),
    );
  });
});
