import '@angular/compiler';
import { deepStrictEqual, strictEqual } from 'node:assert';
import { signal } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { NEVER } from 'rxjs';
import type { LobbyEntrance } from 'lobby-rx';
import { injectLobbyConnection } from 'lobby-rx/angular';
import { fakeSockets } from '../../player/fake-gate.js';
import { angularApp } from './angular-app.js';

const entranceOf = (name: string) => ({ url: `wss://${name}.example/play`, token: name });

describe('injectLobbyConnection', () => {
  afterEach(() => void TestBed.resetTestingModule());

  it('is in the lobby of its signal, and leaves it with its component', () => {
    const { component, pass } = angularApp();
    const { opened, WebSocket } = fakeSockets();
    const entrance = signal<LobbyEntrance | undefined>(undefined);
    const { value: lobby, destroy } = component(() =>
      injectLobbyConnection(entrance, { WebSocket, wake$: NEVER }),
    );
    const heard: unknown[] = [];
    lobby.on(message => heard.push(message));
    const flush = () => {
      TestBed.tick();
      pass(0);
    };
    flush();
    deepStrictEqual([lobby.status(), lobby.send('early'), opened.length], [undefined, false, 0]);

    entrance.set(entranceOf('one'));
    flush();
    strictEqual(lobby.status()?.state, 'connecting');
    opened[0]!.admit('return.1', 30_000).say('hello');
    deepStrictEqual([lobby.status()?.state, lobby.message(), heard], ['live', 'hello', ['hello']]);
    strictEqual(lobby.send('hi'), true);

    entrance.set(entranceOf('two'));
    flush();
    strictEqual(opened[0]!.closed?.code, 1000);
    deepStrictEqual([opened.length, lobby.message(), lobby.status()?.state], [2, undefined, 'connecting']);
    opened[1]!.open().end(4403, 'removed');
    deepStrictEqual([lobby.status()?.state, lobby.status()?.error?.reason], ['closed', 'removed']);

    entrance.set(entranceOf('three'));
    flush();
    opened[2]!.admit('return.3', 30_000);
    destroy();
    strictEqual(opened[2]!.closed?.code, 1000);
    deepStrictEqual(heard, ['hello']);
  });

  it('does not connect on a server', () => {
    const { component, pass } = angularApp({ platform: 'server' });
    const { opened, WebSocket } = fakeSockets();
    const { value: lobby } = component(() => injectLobbyConnection(() => entranceOf('one'), { WebSocket }));
    TestBed.tick();
    pass(0);
    deepStrictEqual([opened.length, lobby.status()], [0, undefined]);
  });
});
