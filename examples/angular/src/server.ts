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
import { SESSION_COOKIE, sessionIn, type Session } from './app/session';

const app = express();
const angular = new AngularNodeAppEngine();

app.use(express.static(join(import.meta.dirname, '../browser'), { maxAge: '1y', index: false }));

app.post('/session', express.urlencoded({ extended: false, limit: 4096 }), (request, response) => {
  const [token, group_id, name] = ['token', 'group_id', 'name'].map(field =>
    String((request.body as Record<string, unknown> | undefined)?.[field] ?? '').trim(),
  ) as [string, string, string];
  // A token goes into a header, where nothing else is allowed.
  if (!/^[!-~]+$/.test(token) || !group_id) return void response.redirect(303, '/?incomplete');
  setSession(response, { id: randomUUID(), token, group_id, name: name || 'Player' });
  response.redirect(303, '/');
});

/** The page outlives its token: the platform where the player has signed in issues another one. */
app.post('/session/renew', async (request, response) => {
  const session = sessionIn(request.headers.cookie ?? '');
  const answer = await askPlatform('renew', session);
  if (!session || !answer?.ok) return void response.sendStatus(answer?.status ?? 502);
  const token = await answer.text();
  setSession(response, { ...session, token });
  response.send(token);
});

app.post('/session/end', (_, response) => {
  response.clearCookie(SESSION_COOKIE);
  response.redirect(303, '/');
});

/** A place in a lobby: the matchmaker sends it as a lobby join. */
app.post('/matchmaker/find', async (request, response) => {
  const answer = await askPlatform('find', sessionIn(request.headers.cookie ?? ''));
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

/**
 * The page itself sends the token to the service, so it has to be able to read the cookie. Over
 * https, it should be `secure`.
 */
function setSession(response: express.Response, session: Session): void {
  response.cookie(SESSION_COOKIE, JSON.stringify(session), { sameSite: 'strict', path: '/' });
}

/** Resolves to undefined if there is no answer. */
function askPlatform(path: 'find' | 'renew', session: Session | undefined): Promise<Response | undefined> {
  const url = `${process.env['PLATFORM_URL'] ?? ''}/${path}`;
  const headers = { authorization: `Bearer ${session?.token ?? ''}` };
  return fetch(url, { method: 'POST', headers }).catch(() => undefined);
}

if (isMainModule(import.meta.url)) {
  const port = Number(process.env['PORT'] ?? 4200);
  app.listen(port, '127.0.0.1', error => {
    if (error) throw error;
    console.log(`http://localhost:${port}`);
  });
}

export const reqHandler = createNodeRequestHandler(app);
