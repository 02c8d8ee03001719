import '@angular/compiler';
import { deepStrictEqual, throws } from 'node:assert';
import { TestBed } from '@angular/core/testing';
import { isInputError, type TransportRequest } from 'lobby-rx';
import { injectLobbyClient, type LobbyClientConfig } from 'lobby-rx/angular';
import { angularApp, createWorld } from './angular-app.js';

/** Makes this process a page of an origin, which a service worker controls. */
function controlled(origin: string, controller: object | null): () => void {
  const names = ['navigator', 'location'] as const;
  const before = names.map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const values = { navigator: { serviceWorker: { controller } }, location: { origin } };
  for (const name of names)
    Object.defineProperty(globalThis, name, { value: values[name], configurable: true });
  return () => {
    for (const [name, descriptor] of before) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}

/** A poll and a request of a page: the query of each, and its header. */
function sentBy(config: Partial<LobbyClientConfig> = {}): readonly unknown[] {
  const world = createWorld();
  const sent: TransportRequest[] = [];
  const transport: LobbyClientConfig['transport'] = request => {
    sent.push(request);
    return world.emulator.transport(request);
  };
  const { component, pass } = angularApp({ world, config: { transport, ...config } });
  const client = component(() => injectLobbyClient()).value;
  client.events.feed.all$.subscribe();
  pass(500);
  client.group.getMembers({ group_id: world.group_id, count: 5 }).subscribe();
  pass(500);
  const seen = sent.map(({ kind = 'call', url, headers }) => {
    const { searchParams } = new URL(url);
    return `${kind} ${searchParams.get('ngsw-bypass') ?? '-'} ${headers['ngsw-bypass'] ?? '-'}`;
  });
  return [...new Set(seen)].sort();
}

describe('a service worker of Angular', () => {
  let leave = () => {};
  const origin = new URL(createWorld().emulator.url).origin;
  afterEach(() => {
    TestBed.resetTestingModule();
    leave();
  });

  it('is asked by a header to leave the requests to the origin of the page alone', () => {
    leave = controlled(origin, {});
    deepStrictEqual(sentBy(), ['call - 1', 'poll - 1']);
  });

  it('is asked in the query of requests to another origin, where a header would cost a preflight', () => {
    leave = controlled('https://page.example', {});
    deepStrictEqual(sentBy(), ['call 1 -', 'poll 1 -']);
  });

  it('is asked nothing if it does not control the page, or if that is not wanted', () => {
    leave = controlled(origin, null);
    deepStrictEqual(sentBy(), ['call - -', 'poll - -']);
    leave();
    TestBed.resetTestingModule();
    leave = controlled(origin, {});
    deepStrictEqual(sentBy({ bypassServiceWorker: false }), ['call - -', 'poll - -']);
  });

  it('cannot be asked by what is neither true nor false', () => {
    const { component } = angularApp({ config: { bypassServiceWorker: 'no' as never } });
    throws(
      () => component(() => injectLobbyClient()),
      (error: unknown) => isInputError(error) && error.message.includes('bypassServiceWorker'),
    );
  });
});
