import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import {
  ApplicationRef,
  createEnvironmentInjector,
  EnvironmentInjector,
  REQUEST,
  type Resource,
} from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { TestBed } from '@angular/core/testing';
import { isInputError } from 'lobby-rx';
import { injectLobbyClient, injectRoster, provideLobbyClient } from 'lobby-rx/angular';
import { angularApp, createIn, createWorld } from './angular-app.js';

/** A page that waits for a stream that need not emit. */
const waitingPage = (): Resource<unknown> => {
  const client = injectLobbyClient();
  return rxResource({ stream: () => client.events.feed.lobbyJoin$ });
};

/** A page that waits for a request. */
const askingPage = (group_id: string) => (): Resource<unknown> => {
  const client = injectLobbyClient();
  return rxResource({ stream: () => client.group.getMembers({ group_id }) });
};

/** A server that renders pages, each for a visitor with a client of their own. */
function server() {
  const world = createWorld();
  const app = angularApp({ platform: 'server', world });
  const root = TestBed.inject(EnvironmentInjector);
  const visit = <A>(page: () => A) => {
    const visitor = new AbortController();
    const { url, transport } = world.emulator;
    const { scheduler, token } = world;
    const providers = [
      { provide: REQUEST, useValue: { signal: visitor.signal } },
      provideLobbyClient(() => ({ url, transport, token, scheduler })),
    ];
    const injector = createEnvironmentInjector(providers, root);
    let isClosed = false;
    createIn(injector, injectLobbyClient).value.closed$.subscribe(() => {
      isClosed = true;
    });
    const { value } = createIn(injector, page);
    return { value, leave: () => visitor.abort(), isClosed: () => isClosed, injector };
  };
  let isStable = false;
  TestBed.inject(ApplicationRef).isStable.subscribe(next => {
    isStable = next;
  });
  return { ...app, visit, isStable: () => isStable };
}

describe('a page that a server renders', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('leaves neither a client nor a poll when its visitors leave before it is there', async () => {
    const { visit, pass, openPolls, isStable, emulator } = server();
    const visits = Array.from({ length: 4 }, () => visit(waitingPage));
    pass(5_000);
    deepStrictEqual([openPolls(), isStable()], [4, false]);
    for (const { leave } of visits) leave();
    pass(1_000);
    deepStrictEqual([openPolls(), visits.filter(({ isClosed }) => !isClosed()).length], [0, 0]);
    const { length } = emulator.requests;
    pass(600_000);
    strictEqual(emulator.requests.length, length);
    // So Angular can destroy the rest.
    await TestBed.inject(ApplicationRef).whenStable();
    deepStrictEqual(
      visits.map(({ value }) => value.status()),
      ['error', 'error', 'error', 'error'],
    );
  });

  it('ends by itself a minute after it began, if nobody ends it', () => {
    const { visit, pass, openPolls } = server();
    const { isClosed } = visit(waitingPage);
    pass(59_900);
    deepStrictEqual([openPolls(), isClosed()], [1, false]);
    pass(200);
    deepStrictEqual([openPolls(), isClosed()], [0, true]);
  });

  it('ends after the time that it is given', () => {
    const app = angularApp({ platform: 'server', config: { renderTimeout: 2_000 } });
    app.component(waitingPage);
    app.pass(1_900);
    strictEqual(app.openPolls(), 1);
    app.pass(200);
    strictEqual(app.openPolls(), 0);
  });

  it('has its own request fail when the visitor leaves, so that it does not wait for it', async () => {
    const { visit, pass, emulator, group_id } = server();
    emulator.fault({ kind: 'stall_before_headers' });
    const { value, leave } = visit(askingPage(group_id));
    pass(1_000);
    strictEqual(value.status(), 'loading');
    leave();
    await TestBed.inject(ApplicationRef).whenStable();
    strictEqual(value.status(), 'error');
  });

  it('polls nothing for a visitor who has left already', () => {
    const { visit, pass, emulator } = server();
    const { leave, injector } = visit(() => undefined);
    leave();
    createIn(injector, waitingPage);
    pass(5_000);
    strictEqual(emulator.requests.length, 0);
  });

  it('leaves no timer and no listener when it is rendered', () => {
    const { visit, pass, scheduler, group_id } = server();
    const { value: roster, injector } = visit(() => injectRoster(() => group_id));
    pass(1_000);
    strictEqual(roster.value()?.size, 1);
    injector.destroy();
    strictEqual(scheduler.actions.length, 0);
  });

  it('is a page of a browser for as long as that shows it', () => {
    const { component, pass, openPolls } = angularApp({ config: { renderTimeout: 1_000 } });
    component(waitingPage);
    pass(120_000);
    strictEqual(openPolls(), 1);
  });

  it('refuses a time that is none', () => {
    const { component } = angularApp({ config: { renderTimeout: -1 } });
    throws(
      () => component(() => injectLobbyClient()),
      (error: unknown) => isInputError(error) && error.message.includes('renderTimeout'),
    );
  });
});
