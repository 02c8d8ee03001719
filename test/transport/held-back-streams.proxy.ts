import { strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { sseEvents } from 'lobby-rx/services';
import {
  openApache,
  openCaddy,
  openHaproxy,
  openNghttpx,
  openNginx,
  openVarnish,
  type RealProxy,
} from '../real-proxy.js';
import { waitUntil } from '../wait-until.js';

const GZIP = 'gzip on; gzip_types *;';

const nginx = (options: string) => (service: string) =>
  openNginx(service, `location / { proxy_pass http://lobby; ${options} }`);

const varnish = (response: string) => (service: string) => {
  const [host, port] = service.split(':');
  return openVarnish(
    `vcl 4.1; backend default { .host = "${host}"; .port = "${port}"; } sub vcl_backend_response { ${response} }`,
  );
};

const apache = (options: string) => (service: string) =>
  openApache(`ProxyPass / http://${service}/\n${options}`);

const DEFLATE = `LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
SetOutputFilter DEFLATE`;

/** The rows of the page: whether an event of a stream comes at once. */
const PROXIES: Readonly<
  Record<string, { open: (service: string) => Promise<RealProxy>; isAtOnce: boolean }>
> = {
  'nginx, as it comes': { open: nginx(''), isAtOnce: false },
  'nginx, proxy_http_version 1.1': { open: nginx('proxy_http_version 1.1;'), isAtOnce: true },
  'nginx, proxy_http_version 1.1 and gzip': {
    open: nginx(`proxy_http_version 1.1; ${GZIP}`),
    isAtOnce: false,
  },
  'nginx, proxy_buffering off': { open: nginx('proxy_buffering off;'), isAtOnce: true },
  'nginx, proxy_buffering off and gzip': { open: nginx(`proxy_buffering off; ${GZIP}`), isAtOnce: true },
  'Varnish, as it comes': { open: varnish(''), isAtOnce: true },
  'Varnish, do_gzip': { open: varnish('set beresp.do_gzip = true;'), isAtOnce: false },
  Apache: { open: apache(''), isAtOnce: true },
  'Apache, DEFLATE': { open: apache(DEFLATE), isAtOnce: true },
  HAProxy: { open: service => openHaproxy(service, ''), isAtOnce: true },
  Caddy: { open: service => openCaddy(`example.com {\nreverse_proxy ${service}\n}`), isAtOnce: true },
  'Caddy, encode gzip': {
    open: service => openCaddy(`example.com {\nencode gzip\nreverse_proxy ${service}\n}`),
    isAtOnce: true,
  },
  nghttpx: {
    open: service => openNghttpx(`--backend=${service.replace(':', ',')}`),
    isAtOnce: true,
  },
};

describe('A stream of a service behind proxies', () => {
  const open = new Set<ServerResponse>();
  let server: Server;
  let service: string;
  before(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      open.add(response);
      response.on('close', () => open.delete(response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    service = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const [name, proxied] of Object.entries(PROXIES))
    it(`${proxied.isAtOnce ? 'comes at once' : 'is held back'}: ${name}`, async () => {
      const proxy = await proxied.open(service);
      const stop = new AbortController();
      const seen: string[] = [];
      const reading = (async () => {
        const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { signal: stop.signal });
        for await (const events of sseEvents(response, 60_000)) seen.push(...events.map(({ data }) => data));
      })();
      reading.catch(() => {});
      await waitUntil(() => open.size > 0);
      await setTimeout(500);
      for (const response of open) response.write('data: event\n\n');
      await (proxied.isAtOnce ? waitUntil(() => seen.length > 0) : setTimeout(2_000));
      strictEqual(seen.length, proxied.isAtOnce ? 1 : 0);
      stop.abort();
      await proxy.close();
      await waitUntil(() => open.size === 0);
    });
});
