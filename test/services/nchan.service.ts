import { deepStrictEqual } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { watchSignals } from 'lobby-rx';
import { nchanChannel, type NchanMessage } from 'lobby-rx/services';
import { freePort } from '../free-port.js';
import { followed } from './followed.js';
import { eventsOf, gapsOf } from './log-of-events.js';
import { Server, until } from './server.js';

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
          location = /send/long { nchan_publisher; nchan_channel_id long; nchan_message_buffer_length 2000; }
          location ~ ^/send/(two\\w*)$ { nchan_publisher; nchan_channel_id $1; nchan_message_buffer_length 2; }
          location ~ ^/send/(short\\w+)$ { nchan_publisher; nchan_channel_id $1; }
          location ~ ^/receive/(\\w+)$ { nchan_subscriber longpoll; nchan_channel_id $1; nchan_subscriber_timeout 3s; }
        }
      }`,
    );
    await server.start();
  });
  after(() => server.remove());

  const send = (channel: string, text: string) =>
    fetch(`${base}/send/${channel}`, { method: 'POST', body: text });
  const follow = (channel: string, ack?: (message: NchanMessage) => PromiseLike<undefined>) =>
    followed(
      watchSignals({ ...nchanChannel(`${base}/receive/${channel}`), ...(ack && { ack }) }),
      ({ text }) => [text!],
    );

  it('sees 500 messages once and in order, of which each is sent twice', async () => {
    await send('long', 'm0');
    const { seen, stop } = follow('long');
    const texts = Array.from({ length: 500 }, (_, i) => `m${i >> 1}`);
    for (const text of texts.slice(1, 250)) await send('long', text);
    // Some come while nothing is new for a while.
    await until(() => seen.length >= 250, 'half of them');
    for (const text of texts.slice(250)) await send('long', text);
    await until(() => seen.length >= 500, 'all of them');
    stop();
    deepStrictEqual(
      seen,
      texts.map(event => ({ event })),
    );
  });

  /** Follows a channel. The watch waits in `ack` at its first message, until `goOn`. */
  async function heldUp(channel: string) {
    await send(channel, 'm0');
    let goOn = () => {};
    const waiting = new Promise<undefined>(resolve => {
      goOn = () => resolve(undefined);
    });
    const following = follow(channel, ({ text }) => (text === 'm0' ? waiting : Promise.resolve(undefined)));
    await until(() => following.seen.length > 0, 'the first one');
    return { ...following, goOn };
  }

  it('says so in a gap if messages have left the buffer while an ack ran', async () => {
    const { seen, stop, goOn } = await heldUp('short_a');
    for (let i = 1; i < 42; i++) await send('short_a', `m${i}`);
    goOn();
    await until(() => eventsOf(seen).includes('m41'), 'the last of them');
    stop();
    deepStrictEqual(gapsOf(seen), ['forgotten']);
    deepStrictEqual(
      eventsOf(seen),
      [0, ...Array.from({ length: 10 }, (_, i) => 32 + i)].map(i => `m${i}`),
    );
  });

  it('says so in a gap, even if the next message is the first of its second', async () => {
    const { seen, stop, goOn } = await heldUp('two');
    for (let i = 1; i < 4; i++) {
      await setTimeout(1_100);
      await send('two', `m${i}`);
    }
    goOn();
    await until(() => eventsOf(seen).includes('m3'), 'the last of them');
    stop();
    deepStrictEqual(seen, [{ event: 'm0' }, { gap: 'forgotten' }, { event: 'm2' }, { event: 'm3' }]);
  });

  it('says so in a gap if nginx was killed with messages that were not read', async () => {
    const { seen, states, stop, goOn } = await heldUp('short_c');
    for (const text of ['m1', 'm2']) await send('short_c', text);
    await setTimeout(1_100);
    await server.kill();
    await server.start();
    goOn();
    await until(() => states.at(-1) === 'live', 'a poll of the new one');
    await setTimeout(2_500);
    for (const text of ['n0', 'n1', 'n2']) await send('short_c', text);
    await until(() => eventsOf(seen).includes('n2'), 'the last of them');
    stop();
    const [first, ...others] = seen;
    deepStrictEqual(
      [first, others],
      [{ event: 'm0' }, [{ gap: 'forgotten' }, ...['n0', 'n1', 'n2'].map(event => ({ event }))]],
    );
  });

  it('says so in a gap if the channel was deleted, and sees what is sent then', async () => {
    await send('short_b', 'a0');
    const { seen, stop } = follow('short_b');
    await until(() => seen.length > 0, 'the first one');
    await fetch(`${base}/send/short_b`, { method: 'DELETE' });
    for (let i = 0; i < 8; i++) await send('short_b', `b${i}`);
    await until(() => eventsOf(seen).includes('b7'), 'the last of them');
    stop();
    deepStrictEqual(gapsOf(seen).slice(0, 1), ['index_rejected']);
    deepStrictEqual(
      eventsOf(seen).slice(1),
      Array.from({ length: 8 }, (_, i) => `b${i}`),
    );
  });
});
