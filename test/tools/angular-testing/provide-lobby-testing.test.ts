import '@angular/compiler';
import { deepStrictEqual, notStrictEqual } from 'node:assert';
import { DOCUMENT } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { injectLobbyClient, injectRoster } from 'lobby-rx/angular';
import { provideLobbyTesting } from 'lobby-rx/angular/testing';
import { createEmulator } from 'lobby-rx/emulator';
import { angularApp } from '../../integrations/angular/angular-app.js';

/** There is no page. */
const document = { provide: DOCUMENT, useValue: { getElementById: () => null } };

describe('provideLobbyTesting', () => {
  before(() => {
    // It initializes Angular.
    angularApp();
    TestBed.resetTestingModule();
  });
  afterEach(() => void TestBed.resetTestingModule());

  it('has the service of a test, as one of its players sees it', () => {
    const emulator = createEmulator();
    const ada = emulator.addIdentity({ display_name: 'Ada' });
    const group = emulator.addGroup();
    emulator.join(group, ada.identity_id);
    TestBed.configureTestingModule({ providers: [document, provideLobbyTesting(emulator, ada)] });
    const roster = TestBed.runInInjectionContext(() => injectRoster(() => group));
    TestBed.tick();
    deepStrictEqual([roster.status().state, roster.value()?.size], ['live', 1]);
  });

  it('has a client for each test that is about something else', () => {
    const providers = [document, provideLobbyTesting()];
    const clients = [1, 2].map(() => {
      TestBed.configureTestingModule({ providers });
      const client = TestBed.runInInjectionContext(() => injectLobbyClient());
      let answers = 0;
      client.events.watch().subscribe(() => answers++);
      deepStrictEqual(answers, 1);
      TestBed.resetTestingModule();
      return client;
    });
    notStrictEqual(clients[0], clients[1]);
  });
});
