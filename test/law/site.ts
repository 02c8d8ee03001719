import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';

export const DOCS = join(import.meta.dirname, '../../docs');
/** Where `npm run docs:build` puts the site. */
export const SITE = join(DOCS, '.vitepress/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Serves the site on a free port of this machine. */
export const serveSite = () => serve(SITE);

/** Serves a folder on a free port of this machine. */
export async function serve(folder: string) {
  const server = createServer(({ url: asked = '/' }, response) => {
    const { pathname } = new URL(asked, 'http://site');
    const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    if (dirname(file).startsWith(folder) && existsSync(file)) {
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
      response.end(readFileSync(file));
    } else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
