import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import {
  ApplicationRef,
  createEnvironmentInjector,
  DOCUMENT,
  EnvironmentInjector,
  inject,
  InjectionToken,
} from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { defer, EMPTY, lastValueFrom, NEVER, Observable, of, Subject } from 'rxjs';
import { isInputError, type ClientConfig, type Transport } from 'lobby-rx';
import { injectFeed, injectLobbyClient, LOBBY_CLIENT, provideLobbyClient } from 'lobby-rx/angular';
import { CALL_TRANSPORT, FEED_SHARING } from '../../../src/integrations/angular/lobby.js';
import { angularApp, createIn, createWorld } from './angular-app.js';

describe('provideLobbyClient', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('has one client for each injector, made of a config that may inject', () => {
    const URL = new InjectionToken<string>('URL');
    let calls = 0;
    const config = () => {
      calls++;
      return { url: inject(URL), token: 't' };
    };
    const { component } = angularApp({
      providers: [{ provide: URL, useValue: 'https://a.example' }, provideLobbyClient(config)],
    });
    const [one, other] = [
      component(() => injectLobbyClient()).value,
      component(() => inject(LOBBY_CLIENT)).value,
    ];
    strictEqual(one, other);
    strictEqual(calls, 1);
    TestBed.resetTestingModule();
    const next = angularApp().component(() => injectLobbyClient()).value;
    strictEqual(next === one, false);
  });

  it('asks get and renew for a token, for no longer than the injector lives', () => {
    const asked: string[] = [];
    const never = (name: string) => () => {
      asked.push(name);
      return new Observable<string>(() => () => asked.push(`${name} given up`));
    };
    const { component, pass } = angularApp({
      providers: [
        provideLobbyClient(() => ({
          url: 'https://a.example',
          token: { get: () => 'old', renew: never('renew') },
          transport: () => of({ status: 401, headers: { get: () => null }, text: '{"code":"EXPIRED"}' }),
        })),
      ],
    });
    component(() => injectLobbyClient())
      .value.group.getMembers({ group_id: 'g' })
      .subscribe();
    pass(100);
    deepStrictEqual(asked, ['renew']);
    TestBed.resetTestingModule();
    deepStrictEqual(asked, ['renew', 'renew given up']);
  });

  it('refuses an invalid config by name', () => {
    for (const [config, message] of [
      [{ url: 'https://a.example', tokne: 't' }, /unknown option `tokne`; did you mean `token`\?/],
      [undefined, /config must be a function that returns an object/],
      [{ token: 't' }, /url must be the service's base URL/],
      [{ url: 'https://a.example', token: 't', transport: 'x' }, /transport must be a function/],
      [{ url: 'https://a.example', token: 't', scheduler: 5 }, /scheduler must be an RxJS scheduler/],
    ] as const) {
      const { component } = angularApp({
        providers: [provideLobbyClient(() => config as unknown as ClientConfig)],
      });
      throws(
        () => component(() => injectLobbyClient()),
        (error: unknown) => isInputError(error) && message.test(error.message),
      );
      TestBed.resetTestingModule();
    }
  });

  it('polls outside of the zone, with its timers; plain requests are sent in that of their subscriber', () => {
    const places: string[] = [];
    const world = createWorld();
    const note = (what: string) => places.push(`${what} ${zone.isInside ? 'inside' : 'outside'}`);
    const scheduler = Object.create(world.scheduler, {
      schedule: {
        value: (...work: Parameters<typeof world.scheduler.schedule>) => {
          note('timer');
          return world.scheduler.schedule(...work);
        },
      },
    }) as typeof world.scheduler;
    const transport: Transport = request => {
      const answer$ = world.emulator.transport(request);
      return defer(() => {
        note(request.kind ?? 'call');
        return answer$;
      });
    };
    const { component, zone, pass, openPolls } = angularApp({ world, config: { scheduler, transport } });
    const lobby = component(() => injectLobbyClient()).value;
    lobby.events.feed.all$.subscribe();
    pass(5_000);
    strictEqual(openPolls(), 1);
    lobby.group.getMembers({ group_id: world.group_id }).subscribe();
    deepStrictEqual([...new Set(places)].sort(), ['call inside', 'poll outside', 'timer outside']);
  });

  it('keeps an application stable while it polls, but not while a plain request is pending', async () => {
    const { component, pass, group_id, openPolls } = angularApp();
    const app = TestBed.inject(ApplicationRef);
    const stable: boolean[] = [];
    app.isStable.subscribe(isStable => stable.push(isStable));
    const lobby = component(() => injectLobbyClient()).value;
    component(() => injectFeed());
    pass(1_000);
    strictEqual(openPolls(), 1);
    await app.whenStable();
    stable.length = 0;
    const members = lastValueFrom(lobby.group.getMembers({ group_id }));
    deepStrictEqual(stable, [false]);
    pass(1_000);
    strictEqual((await members).members.length, 1);
    await app.whenStable();
    strictEqual(stable.at(-1), true);
  });

  it('closes its client with the injector, for those that somebody forgot, too, and starts no timer after', () => {
    const { component, pass, openPolls, emulator, scheduler } = angularApp();
    const seen: unknown[] = [];
    component(() => injectLobbyClient()).value.events.feed.all$.subscribe({
      next: event => seen.push(event),
      error: (error: unknown) => seen.push(error),
      complete: () => seen.push('complete'),
    });
    pass(1_000);
    strictEqual(openPolls(), 1);
    TestBed.resetTestingModule();
    strictEqual(openPolls(), 0);
    const { length } = emulator.requests;
    scheduler.maxFrames = scheduler.now() + 600_000;
    scheduler.flush();
    deepStrictEqual(
      [emulator.requests.length - length, seen, scheduler.actions.length],
      [0, ['complete'], 0],
    );
  });

  it('holds on to nothing outside of an injector that is destroyed, although a feed lingers', () => {
    const wake$ = new Subject<void>();
    let pendingTokens = 0;
    const token = () =>
      new Observable<string>(() => {
        pendingTokens++;
        return () => pendingTokens--;
      });
    const { component, pass } = angularApp({ config: { token, watch: { wake$ } } });
    const { destroy } = component(() => injectFeed().on('identity_update', () => undefined));
    pass(1_000);
    deepStrictEqual([wake$.observed, pendingTokens], [true, 1]);
    destroy();
    TestBed.resetTestingModule();
    deepStrictEqual([wake$.observed, pendingTokens], [false, 0]);
  });

  it('says what is missing where there is no client, or no injection context', () => {
    TestBed.configureTestingModule({ providers: [{ provide: DOCUMENT, useValue: {} }] });
    throws(
      () => TestBed.runInInjectionContext(() => injectLobbyClient()),
      /No provider found for `InjectionToken LOBBY_CLIENT`/,
    );
    throws(() => injectFeed(), /NG0203/);
    throws(() => injectLobbyClient(), /NG0203/);
  });

  it('drops plain requests with the injector, without a word, and answers none after', () => {
    const world = createWorld();
    const { component, pass } = angularApp({ world, config: { transport: () => NEVER } });
    const lobby = component(() => injectLobbyClient()).value;
    const heard: unknown[] = [];
    const hear = { next: (x: unknown) => heard.push(x), error: (x: unknown) => heard.push(x) };
    lobby.group.getMembers({ group_id: 'g' }).subscribe(hear);
    pass(1_000);
    TestBed.resetTestingModule();
    lobby.group.getMembers({ group_id: 'g' }).subscribe(hear);
    world.pass(600_000);
    deepStrictEqual([heard, world.scheduler.actions.length], [[], 0]);
  });

  it('passes on that a transport has completed without an answer', () => {
    const { component, pass } = angularApp({ config: { transport: () => EMPTY } });
    const feed = component(() => injectFeed()).value;
    pass(5_000);
    deepStrictEqual(
      [feed.status().state, (feed.status().error as Error).name],
      ['retrying', 'TransportError'],
    );
  });

  it('has features of its own: those of a parent are for another client', () => {
    const world = createWorld();
    const shared: string[] = [];
    const { component, pass } = angularApp({
      world,
      features: [
        {
          providers: [{ provide: FEED_SHARING, useValue: Object.assign(() => EMPTY, { leads$: of(false) }) }],
        },
        { providers: [{ provide: CALL_TRANSPORT, useValue: () => (shared.push('call'), EMPTY) }] },
      ],
    });
    const parent = component(() => injectFeed()).value;
    const { url, transport } = world.emulator;
    const child = createEnvironmentInjector(
      [provideLobbyClient(() => ({ url, transport, token: world.token, scheduler: world.scheduler }))],
      TestBed.inject(EnvironmentInjector),
    );
    const feed = createIn(child, () => injectFeed()).value;
    createIn(child, () => injectLobbyClient())
      .value.group.getMembers({ group_id: world.group_id })
      .subscribe();
    pass(5_000);
    deepStrictEqual([parent.leads(), feed.leads(), feed.status().state, shared], [false, true, 'live', []]);
  });
});
