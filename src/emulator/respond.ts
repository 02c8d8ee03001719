import { catchError, defer, map, of, type Observable } from 'rxjs';
import type { Call } from './call.js';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';
import { matchPath } from './match-path.js';
import { randomId } from './random-id.js';
import { Refusal } from './refusal.js';
import { routes } from './routes.js';
import type { World } from './world.js';

/** Deployed servers allow these two request headers, and show scripts of other origins this one response header. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, Authorization',
  'access-control-expose-headers': 'rvt-ray-id',
};

/** The service as one function: a request in, one response out when its time has come; unsubscribing hangs up. */
export function respond(request: EmulatedRequest, world: World): Observable<EmulatedResponse> {
  const ray = randomId(world.random);
  const headers = { ...CORS, 'content-type': 'application/json', 'rvt-ray-id': ray };
  if (request.method === 'OPTIONS') return of({ status: 204, headers: CORS, body: '' });
  return defer(() => answer(request, world)).pipe(
    map((value): EmulatedResponse => ({ status: 200, headers, body: JSON.stringify(value) })),
    catchError((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return of({ status, headers, body: JSON.stringify({ code, message, ray_id: ray }) });
    }),
  );
}

function answer({ method, url, headers, body }: EmulatedRequest, world: World): Observable<unknown> {
  const { pathname, searchParams: query } = parseUrl(url);
  const fitting = routes.flatMap(route => {
    const path = matchPath(route.path, pathname);
    return path ? [{ route, path }] : [];
  });
  const found = fitting.find(({ route }) => route.method === method);
  if (!fitting[0]) throw new Refusal(404, 'API_NOT_FOUND', 'There is nothing at this path.');
  if (!found) throw new Refusal(405, 'API_METHOD_NOT_ALLOWED', `This path takes ${fitting[0].route.method}.`);

  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const call: Call = { path: found.path, query, bearer, body: parse(body) };
  return found.route.answer(call, world);
}

function parseUrl(url: string): URL {
  try {
    // Behind a host of our own: a path that begins with two slashes would name one itself.
    return new URL(url.startsWith('/') ? `http://emulator${url}` : url);
  } catch {
    throw new Refusal(400, 'API_BAD_URL', 'The address cannot be read.');
  }
}

function parse(body: string | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'API_BAD_BODY', 'The body is not JSON.');
  }
}
