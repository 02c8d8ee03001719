import '@angular/compiler';
import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { ApplicationRef, inject, InjectionToken } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { lastValueFrom } from 'rxjs';
import { isInputError, type ClientConfig } from 'lobby-rx';
import { injectFeed, injectLobby, LOBBY, provideLobby } from 'lobby-rx/angular';
import { angularApp } from './angular-app.js';

describe('provideLobby', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('has one client for each injector, made of a config that may inject', () => {
    const URL = new InjectionToken<string>('URL');
    let calls = 0;
    const config = () => {
      calls++;
      return { url: inject(URL), token: 't' };
    };
    const { component } = angularApp({
      providers: [{ provide: URL, useValue: 'https://a.example' }, provideLobby(config)],
    });
    const [one, other] = [component(() => injectLobby()).value, component(() => inject(LOBBY)).value];
    strictEqual(one, other);
    strictEqual(calls, 1);
    TestBed.resetTestingModule();
    const next = angularApp().component(() => injectLobby()).value;
    strictEqual(next === one, false);
  });

  it('refuses an invalid config by name', () => {
    for (const [config, message] of [
      [{ url: 'https://a.example', tokne: 't' }, /tokne must be one of/],
      [undefined, /what provideLobby\(\) is given must be an object/],
      [{ token: 't' }, /url must be the service's base URL/],
    ] as const) {
      const { component } = angularApp({
        providers: [provideLobby(() => config as unknown as ClientConfig)],
      });
      throws(
        () => component(() => injectLobby()),
        (error: unknown) => isInputError(error) && message.test(error.message),
      );
      TestBed.resetTestingModule();
    }
  });

  it('polls outside of the zone, and so does whoever subscribes to its feed', () => {
    const inside: boolean[] = [];
    const { component, zone, pass, emulator, identity_id, openPolls } = angularApp();
    const { feed } = component(() => injectLobby()).value.events;
    feed.all$.subscribe(() => inside.push(zone.isInside));
    pass(1_000);
    strictEqual(openPolls(), 1);
    emulator.updateProfile(identity_id, { bio: 'new' });
    // The emulator answers when its clock says so, as a network does: in the zone that the request was sent from.
    zone.runOutsideAngular(() => pass(1_000));
    deepStrictEqual(inside, [false]);
  });

  it('keeps an application stable while it polls, but not while a plain request is pending', async () => {
    const { component, pass, group_id, openPolls } = angularApp();
    const app = TestBed.inject(ApplicationRef);
    const stable: boolean[] = [];
    app.isStable.subscribe(isStable => stable.push(isStable));
    const lobby = component(() => injectLobby()).value;
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

  it('ends the polls of an injector that is destroyed, even those that somebody forgot, and starts no timer after', () => {
    const { component, pass, openPolls, emulator, scheduler } = angularApp();
    const seen: unknown[] = [];
    component(() => injectLobby()).value.events.feed.all$.subscribe({
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
    deepStrictEqual([emulator.requests.length - length, seen, scheduler.actions.length], [0, [], 0]);
  });

  it('says what is missing where there is no client, or no injection context', () => {
    TestBed.configureTestingModule({});
    throws(() => injectFeed(), /NG0203/);
    throws(() => injectLobby(), /NG0203/);
  });
});
