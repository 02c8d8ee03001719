import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { REQUEST, type Resource } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { TestBed } from '@angular/core/testing';
import { config as rxjs, firstValueFrom, Observable } from 'rxjs';
import { isInputError, type Client, type Transport } from 'lobby-rx';
import { injectLobbyClient, injectRoster } from 'lobby-rx/angular';
import { turns } from '../../turns.js';
import { angularApp, type AngularAppConfig } from './angular-app.js';

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

/** A service that answers nothing, and how many of its requests are open. */
function silentService() {
  let open = 0;
  const transport: Transport = () =>
    new Observable(() => {
      open++;
      return () => open--;
    });
  return { transport, openRequests: () => open };
}

/** The application in which a server renders the page of a visitor. */
function visit(config: AngularAppConfig['config'] = {}) {
  const visitor = new AbortController();
  const app = angularApp({
    platform: 'server',
    config,
    providers: [{ provide: REQUEST, useValue: { signal: visitor.signal } }],
  });
  let isStable = false;
  app.application.isStable.subscribe(next => {
    isStable = next;
  });
  return { ...app, leave: () => visitor.abort(), isStable: () => isStable };
}

describe('a page that a server renders', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('sends no poll, and ends with the visit, even if it waits for a stream', async () => {
    const { component, pass, emulator, leave, application, isStable } = visit();
    component(waitingPage);
    pass(5_000);
    deepStrictEqual([emulator.requests.length, isStable(), application.destroyed], [0, false, false]);
    leave();
    await turns(1);
    // So Angular does not wait for it.
    deepStrictEqual([isStable(), application.destroyed], [true, true]);
  });

  it('aborts its requests when the visitor leaves', async () => {
    const { transport, openRequests } = silentService();
    const { component, pass, group_id, leave, application, isStable } = visit({ transport });
    component(askingPage(group_id));
    pass(1_000);
    deepStrictEqual([openRequests(), isStable()], [1, false]);
    leave();
    await turns(1);
    deepStrictEqual([openRequests(), isStable(), application.destroyed], [0, true, true]);
  });

  it('raises no error that nobody handles, whatever the visitor leaves unanswered', async () => {
    const unhandled: unknown[] = [];
    const keep = (error: unknown) => unhandled.push(error);
    const { onUnhandledError } = rxjs;
    rxjs.onUnhandledError = keep;
    process.on('unhandledRejection', keep);
    try {
      const { transport, openRequests } = silentService();
      const { component, pass, group_id, leave } = visit({ transport });
      const streams = ({ group, events, closed$, unauthorized$ }: Client): readonly Observable<unknown>[] => [
        group.getMembers({ group_id }),
        group.members(group_id),
        group.roster(group_id),
        events.watch(),
        events.batches(),
        events.feed.all$,
        closed$,
        unauthorized$,
      ];
      const { value: client } = component(injectLobbyClient);
      const begin = () => {
        for (const stream$ of streams(client)) {
          stream$.subscribe();
          void firstValueFrom(stream$);
        }
      };
      begin();
      pass(1_000);
      await turns(1);
      strictEqual(openRequests(), 6);
      leave();
      begin();
      pass(1_000);
      await turns(1);
      deepStrictEqual([openRequests(), unhandled], [0, []]);
    } finally {
      rxjs.onUnhandledError = onUnhandledError;
      process.off('unhandledRejection', keep);
    }
  });

  it('ends by itself a minute after it began, if nobody ends it', async () => {
    const { component, pass, application } = visit();
    component(waitingPage);
    pass(59_900);
    strictEqual(application.destroyed, false);
    pass(200);
    await turns(1);
    strictEqual(application.destroyed, true);
  });

  it('ends after the time that it is given', async () => {
    const { component, pass, application } = visit({ renderTimeout: 2_000 });
    component(waitingPage);
    pass(1_900);
    strictEqual(application.destroyed, false);
    pass(200);
    await turns(1);
    strictEqual(application.destroyed, true);
  });

  it('sends nothing for a visitor who has left already', () => {
    const { component, pass, emulator, group_id, leave } = visit();
    leave();
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(5_000);
    deepStrictEqual([emulator.requests.length, roster.value()], [0, undefined]);
  });

  it('leaves no timer and no listener when it is rendered', async () => {
    const { component, pass, scheduler, group_id, application } = visit();
    const roster = component(() => injectRoster(() => group_id)).value;
    pass(0);
    await turns(1);
    pass(1_000);
    strictEqual(roster.value()?.size, 1);
    application.destroy();
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
