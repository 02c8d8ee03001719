import '@angular/compiler';
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import {
  HttpBackend,
  HttpContext,
  HttpErrorResponse,
  HttpResponse,
  provideHttpClient,
  withFetch,
  withInterceptors,
  type HttpInterceptorFn,
  type HttpRequest,
} from '@angular/common/http';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestBed } from '@angular/core/testing';
import { asyncScheduler, firstValueFrom, lastValueFrom, of, retry, throwError, type Observable } from 'rxjs';
import {
  endpoint,
  getMembers,
  isStatusError,
  isUnauthorizedError,
  isTransportError,
  jsonObject,
  type ClientConfig,
} from 'lobby-rx';
import { injectFeed, injectLobbyClient, LOBBY_CLIENT_REQUEST, withHttpClientCalls } from 'lobby-rx/angular';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import { waitUntil } from '../../wait-until.js';
import { angularApp } from './angular-app.js';

describe('withHttpClientCalls', () => {
  afterEach(() => void TestBed.resetTestingModule());

  const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** An application whose calls go through interceptors to a server. */
  async function overHttp(interceptor: HttpInterceptorFn, config?: Partial<ClientConfig>) {
    const emulator = createEmulator({ collectTime: 0 });
    const { identity_id, token } = emulator.addIdentity();
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const server: EmulatorServer = await listen(emulator);
    const { component } = angularApp({
      config: {
        url: server.url,
        token,
        scheduler: asyncScheduler,
        transport: undefined,
        ...config,
      } as object,
      features: [withHttpClientCalls()],
      providers: [provideHttpClient(withFetch(), withInterceptors([interceptor]))],
    });
    return {
      emulator,
      server,
      group_id,
      token,
      component,
      lobby: component(() => injectLobbyClient()).value,
    };
  }

  it('lets interceptors see calls and what they are, but never polls', async () => {
    const seen: unknown[] = [];
    const { lobby, server, group_id, token, component, emulator } = await overHttp((request, next) => {
      const { context, headers } = request;
      seen.push([
        request.method,
        context.get(LOBBY_CLIENT_REQUEST),
        headers.get('authorization') === `Bearer ${token}`,
      ]);
      return next(request);
    });
    strictEqual((await lastValueFrom(lobby.group.getMembers({ group_id }))).members.length, 1);
    component(() => injectFeed());
    await waitUntil(() => emulator.requests.some(({ pending }) => pending));
    const { lobby_id, token: lobbyToken } = emulator.addLobby();
    ok(lobbyToken);
    const error: unknown = await firstValueFrom(
      lobby.matchmaker.players.connected({ player_token: emulator.reservePlayer(lobby_id) }),
    ).catch((e: unknown) => e);
    // An identity's token is not a lobby's: the answer is the service's own, and a decoded one.
    ok(isUnauthorizedError(error) && error.cause?.code === 'CLAIMS_MISSING_ENTITLEMENT');
    deepStrictEqual(seen, [
      ['GET', { idempotent: true }, true],
      ['POST', { idempotent: false }, true],
    ]);
    strictEqual(new HttpContext().get(LOBBY_CLIENT_REQUEST), undefined);
    await server.close();
  });

  it('lets an interceptor add a token, if the client has none', async () => {
    let token = 'wrong';
    const { lobby, server, group_id, ...world } = await overHttp(
      (request, next) => next(request.clone({ setHeaders: { authorization: `Bearer ${token}` } })),
      { token: false },
    );
    const refused: unknown = await lastValueFrom(lobby.group.getMembers({ group_id })).catch(
      (e: unknown) => e,
    );
    ok(isUnauthorizedError(refused) && refused.cause?.status === 401);
    ({ token } = world);
    strictEqual((await lastValueFrom(lobby.group.getMembers({ group_id }))).members.length, 1);
    await server.close();
  });

  it('renews a refused token at once under an interceptor that retries as the page says', async () => {
    // As in docs/angular.md, without its wait.
    const waitOrFail = (error: unknown) =>
      error instanceof HttpErrorResponse && error.status >= 400 && error.status < 500
        ? throwError(() => error)
        : of(0);
    let fresh = '';
    const { emulator, group_id, lobby, server, token } = await overHttp(
      (request, next) => next(request).pipe(retry({ count: 2, delay: waitOrFail })),
      { token: { get: () => 'expired', renew: () => fresh } },
    );
    fresh = token;
    emulator.fault({ kind: 'error', status: 500 });
    strictEqual((await firstValueFrom(lobby.group.getMembers({ group_id }))).members.length, 1);
    deepStrictEqual(
      emulator.requests.map(({ status }) => status),
      [500, 401, 200],
    );
    await server.close();
  });

  it('follows no redirect: neither a token nor a body reaches another server', async () => {
    const reached: string[] = [];
    const other = createServer((request, response) => {
      reached.push(request.url!);
      response.end('{}');
    });
    const first = createServer((_, response) => {
      response.writeHead(307, { location: `${urlOf(other)}/x` }).end();
    });
    for (const server of [other, first]) await once(server.listen(0, '127.0.0.1'), 'listening');
    const { lobby, server } = await overHttp((request, next) => next(request), { url: urlOf(first) });
    for (const call$ of [
      lobby.matchmaker.players.connected({ player_token: 'secret' }),
      lobby.group.getMembers({ group_id: 'g' }),
    ] as const) {
      const error: unknown = await lastValueFrom<unknown>(call$).catch((e: unknown) => e);
      ok(isTransportError(error) && error.reason === 'redirected', String(error));
    }
    deepStrictEqual(reached, []);
    for (const one of [other, first]) one.close();
    await server.close();
  });

  it('stops reading a body that is too large', async () => {
    let sent = 0;
    const endless = createServer((_, response) => {
      const chunk = 'x'.repeat(65_536);
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const { lobby, server } = await overHttp((request, next) => next(request), { url: urlOf(endless) });
    const call$ = lobby.request(getMembers, { group_id: 'g' }, { maxBody: 1_000_000 });
    const error: unknown = await lastValueFrom(call$).catch((e: unknown) => e);
    ok(isTransportError(error) && error.reason === 'too_large');
    ok(sent < 20_000_000, `${sent} bytes`);
    endless.close();
    await server.close();
  });

  /** An application whose `HttpClient` answers like this. */
  function answering(handle: (request: HttpRequest<unknown>) => Observable<unknown>) {
    const { component, pass } = angularApp({
      features: [withHttpClientCalls()],
      providers: [provideHttpClient(), { provide: HttpBackend, useValue: { handle } }],
    });
    const lobby = component(() => injectLobbyClient()).value;
    return async (config?: { readonly maxBody?: number }) => {
      const answer = lastValueFrom(lobby.request({ ...GET }, {}, config)).catch((e: unknown) => e);
      pass(0);
      const error = await answer;
      if (isTransportError(error)) return error.reason;
      return isStatusError(error) ? error.status : error;
    };
  }
  const GET = endpoint({ method: 'GET', service: 'api', path: '/x', response: jsonObject });

  it('takes an answer from another URL for a redirect, unless it is known to be none', async () => {
    const from = (fields: object) =>
      answering(request => of(new HttpResponse({ status: 200, body: '{}', url: request.url, ...fields })))();
    deepStrictEqual(await from({}), {});
    TestBed.resetTestingModule();
    strictEqual(await from({ url: 'https://elsewhere.example/x' }), 'redirected');
    TestBed.resetTestingModule();
    deepStrictEqual(await from({ url: 'https://elsewhere.example/x', redirected: false }), {});
    TestBed.resetTestingModule();
    strictEqual(await from({ redirected: true }), 'redirected');
    TestBed.resetTestingModule();
    // What a page is told of a redirect that it does not follow.
    strictEqual(
      await answering(() => throwError(() => new HttpErrorResponse({ status: 0, error: null })))(),
      'redirected',
    );
    TestBed.resetTestingModule();
    deepStrictEqual(await from({ url: '/relative' }), {});
  });

  it('takes an answer for one of the gateway, or with the query, that an interceptor has sent the request to', async () => {
    const seen: string[] = [];
    const handle = (request: HttpRequest<unknown>) => {
      seen.push(request.urlWithParams);
      return of(new HttpResponse({ status: 200, body: '{}', url: request.urlWithParams }));
    };
    for (let client = 0; client < 2; client++) {
      const { component, pass } = angularApp({
        features: [withHttpClientCalls()],
        providers: [
          provideHttpClient(
            withInterceptors([
              (request, next) =>
                next(request.clone({ url: 'https://gateway.example/x', setParams: { lang: 'de' } })),
            ]),
          ),
          { provide: HttpBackend, useValue: { handle } },
        ],
      });
      const answer = firstValueFrom(component(() => injectLobbyClient()).value.request(GET, {}));
      pass(0);
      deepStrictEqual(await answer, {});
      TestBed.resetTestingModule();
    }
    deepStrictEqual(seen, Array<string>(2).fill('https://gateway.example/x?lang=de'));
  });

  it('takes any status for an answer, and anything else for a TransportError', async () => {
    const failing = (error: unknown) => answering(() => throwError(() => error))();
    strictEqual(await failing(new HttpErrorResponse({ status: 503, error: '<html>' })), 503);
    TestBed.resetTestingModule();
    strictEqual(await failing(new HttpErrorResponse({ status: 0, error: new TypeError('failed') })), 'lost');
    TestBed.resetTestingModule();
    strictEqual(await failing(new HttpErrorResponse({ status: 0, error: { type: 'error' } })), 'lost');
    TestBed.resetTestingModule();
    strictEqual(await failing(undefined), 'lost');
  });

  it('refuses a body that is too large', async () => {
    const get = answering(({ url }) => of(new HttpResponse({ status: 200, body: '{"a":1}', url })));
    strictEqual(await get({ maxBody: 3 }), 'too_large');
  });
});
