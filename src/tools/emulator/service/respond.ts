import { catchError, defer, map, of, type Observable } from 'rxjs';
import { randomId, type World } from '../world/index.js';
import type { EmulatedRequest, EmulatedResponse } from './handler.js';
import { Refusal } from './call.js';
import { findRoute } from './routes.js';
import type { ServiceSettings } from './service-config.js';

/** As on deployed servers: cross-origin scripts may send two request headers, and read one response header. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, Authorization',
  'access-control-expose-headers': 'rvt-ray-id',
};

/** Answers one request; see `Handler`. */
export function respond(
  request: EmulatedRequest,
  world: World,
  settings: ServiceSettings,
): Observable<EmulatedResponse> {
  const ray_id = randomId(world.random);
  const headers = { ...CORS, 'content-type': 'application/json', 'rvt-ray-id': ray_id };
  if (request.method === 'OPTIONS') return of({ status: 204, headers: CORS, body: '' });
  return defer(() => answer(request, world, settings)).pipe(
    map((value): EmulatedResponse => ({ status: 200, headers, body: JSON.stringify(value) })),
    catchError((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return of({ status, headers, body: JSON.stringify({ code, message, ray_id }) });
    }),
  );
}

function answer(
  { method, url, headers, body }: EmulatedRequest,
  world: World,
  settings: ServiceSettings,
): Observable<unknown> {
  const { pathname, searchParams: query } = parseUrl(url);
  const route = findRoute(method, pathname);
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  return route.answer({ path: route.path, query, bearer, body: parseBody(body) }, world, settings);
}

function parseUrl(url: string): URL {
  try {
    // Not `new URL(url, base)`: if the path starts with two slashes, it would parse the first segment as a host.
    return new URL(url.startsWith('/') ? `http://emulator${url}` : url);
  } catch {
    throw new Refusal(400, 'API_BAD_URL', 'The URL is invalid.');
  }
}

function parseBody(body: string | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'API_BAD_BODY', 'The body is not JSON.');
  }
}
