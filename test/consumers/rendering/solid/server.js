import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { render } from './server/on-server.js';

const template = readFileSync('dist/index.html', 'utf8');
createServer(async ({ url }, response) => {
  if (url.startsWith('/assets/')) {
    response.setHeader('content-type', 'text/javascript');
    return response.end(readFileSync(`dist${url}`));
  }
  const { page, head } = await render();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  return response.end(template.replace('<!--head-->', head).replace('<!--page-->', page));
}).listen(Number(process.env.PORT), '127.0.0.1');
