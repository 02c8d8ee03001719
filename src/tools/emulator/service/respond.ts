import { catchError, defer, map, of, type Observable } from 'rxjs';
import { randomId, type World } from '../world/index.js';
import { urlOf, type EmulatedRequest, type EmulatedResponse } from './handler.js';
import { Rejection } from './call.js';
import { findRoute } from './routes.js';
import type { ServiceSettings } from './service-config.js';

/**
 * The CORS headers of deployed servers. Scripts of other origins may send two request headers, and
 * read one response header.
 */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, Authorization',
  'access-control-expose-headers': 'rvt-ray-id',
};

/** The headers of each answer that the service itself gives. Only a crash has none of them. */
export function serviceHeaders(rayId: string): Readonly<Record<string, string>> {
  return {
    ...CORS,
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'rvt-ray-id': rayId,
  };
}

/** Answers one request, as a `Handler` does. */
export function respond(
  request: EmulatedRequest,
  world: World,
  settings: ServiceSettings,
): Observable<EmulatedResponse> {
  const ray_id = randomId(world.random);
  const headers = serviceHeaders(ray_id);
  if (request.method === 'OPTIONS')
    return of({ status: 204, headers: { ...CORS, 'access-control-max-age': '3600' }, body: '' });
  return defer(() => answer(request, world, settings)).pipe(
    map((value): EmulatedResponse => ({ status: 200, headers, body: JSON.stringify(value) })),
    catchError((error: unknown) => {
      if (!(error instanceof Rejection)) throw error;
      const { status, code, message } = error;
      return of({ status, headers, body: JSON.stringify({ code, message, ray_id }) });
    }),
  );
}

function answer(request: EmulatedRequest, world: World, settings: ServiceSettings): Observable<unknown> {
  const { method, headers, body } = request;
  const url = urlOf(request);
  if (!url) throw new Rejection(400, 'API_BAD_URL', 'The URL is invalid.');
  const { pathname, searchParams: query } = url;
  // A program that starts the emulator waits until this path answers.
  if (pathname === '/' && (method === 'GET' || method === 'HEAD'))
    return of({ message: 'lobby-rx emulates a Lobby, Group and Identity Event service here' });
  const route = findRoute(method, pathname);
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  return route.answer({ path: route.path, query, bearer, body: parseBody(body) }, world, settings);
}

function parseBody(body: string | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new Rejection(400, 'API_BAD_BODY', 'The body is not JSON.');
  }
}
