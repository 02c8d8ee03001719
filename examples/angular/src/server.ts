// The server of the board: it renders pages, and signs players in and out.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  AngularNodeAppEngine,
  createNodeRequestHandler,
  isMainModule,
  writeResponseToNodeResponse,
} from '@angular/ssr/node';
import express from 'express';
import { SESSION_COOKIE, type Session } from './app/session';

const app = express();
const angular = new AngularNodeAppEngine();

app.use(express.static(join(import.meta.dirname, '../browser'), { maxAge: '1y', index: false }));

app.post('/session', express.urlencoded({ extended: false, limit: 4096 }), (request, response) => {
  const [token, group_id, name] = ['token', 'group_id', 'name'].map(field =>
    String((request.body as Record<string, unknown> | undefined)?.[field] ?? '').trim(),
  ) as [string, string, string];
  // A token goes into a header, where nothing else is allowed.
  if (!/^[!-~]+$/.test(token) || !group_id) return void response.redirect(303, '/?incomplete');
  const session: Session = { id: randomUUID(), token, group_id, name: name || 'Player' };
  // The page itself sends the token to the service, so it has to be able to read the cookie. Over https, it should be `secure`.
  response.cookie(SESSION_COOKIE, JSON.stringify(session), { sameSite: 'strict', path: '/' });
  response.redirect(303, '/');
});

app.post('/session/end', (_, response) => {
  response.clearCookie(SESSION_COOKIE);
  response.redirect(303, '/');
});

/** A place in a lobby: the matchmaker sends it as a lobby join. */
app.post('/matchmaker/find', async (request, response) => {
  const headers = { authorization: request.headers.authorization ?? '' };
  const answer = await fetch(process.env['MATCHMAKER_URL'] ?? '', { method: 'POST', headers }).catch(
    () => undefined,
  );
  response.sendStatus(answer?.status ?? 502);
});

app.use((request, response, next) => {
  // A page has what only its player may see.
  response.setHeader('cache-control', 'no-store');
  angular
    .handle(request)
    .then(page => (page ? writeResponseToNodeResponse(page, response) : next()))
    .catch(next);
});

if (isMainModule(import.meta.url)) {
  const port = Number(process.env['PORT'] ?? 4200);
  app.listen(port, '127.0.0.1', error => {
    if (error) throw error;
    console.log(`http://localhost:${port}`);
  });
}

export const reqHandler = createNodeRequestHandler(app);
