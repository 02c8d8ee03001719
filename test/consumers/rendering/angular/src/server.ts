// A server of one's own, as for Deno, Bun or Hono: nothing here handles an error that nobody catches.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AngularAppEngine, createRequestHandler } from '@angular/ssr';

const engine = new AngularAppEngine();
export const reqHandler = createRequestHandler(
  async request => (await engine.handle(request)) ?? new Response(null, { status: 404 }),
);

const port = process.env['PORT'];
if (port) {
  const pages = join(import.meta.dirname, '../browser');
  createServer(async ({ url = '/', headers }, response) => {
    if (url.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      return response.end(await readFile(join(pages, url)).catch(() => ''));
    }
    const visitor = new AbortController();
    response.on('close', () => visitor.abort());
    try {
      const request = new Request(`http://127.0.0.1:${port}${url}`, {
        headers: { cookie: headers.cookie ?? '' },
        signal: visitor.signal,
      });
      const answer = await engine.handle(request);
      const page = await answer?.text();
      return response.writeHead(answer?.status ?? 404, { 'content-type': 'text/html' }).end(page);
    } catch {
      // The visitor has left.
      return response.destroy();
    }
  }).listen(Number(port), '127.0.0.1');
}
