import '@angular/compiler';
import {
  ApplicationRef,
  createEnvironmentInjector,
  DOCUMENT,
  EnvironmentInjector,
  ErrorHandler,
  EventEmitter,
  InjectionToken,
  NgZone,
  PLATFORM_ID,
  type EnvironmentProviders,
  type Provider,
} from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { BrowserTestingModule, platformBrowserTesting } from '@angular/platform-browser/testing';
import { provideLobbyClient, type LobbyClientConfig, type LobbyClientFeature } from 'lobby-rx/angular';
import { createEmulator } from 'lobby-rx/emulator';
import { virtualTime } from '../../virtual-time.js';

/** A zone that knows whether the code that runs is inside of it. */
class TrackedZone {
  isInside = true;
  readonly isStable = true;
  readonly hasPendingMacrotasks = false;
  readonly hasPendingMicrotasks = false;
  readonly onUnstable = new EventEmitter<unknown>();
  readonly onMicrotaskEmpty = new EventEmitter<unknown>();
  readonly onStable = new EventEmitter<unknown>();
  readonly onError = new EventEmitter<unknown>();
  run<A>(callback: () => A): A {
    return this.#runWith(true, callback);
  }
  runOutsideAngular<A>(callback: () => A): A {
    return this.#runWith(false, callback);
  }
  #runWith<A>(isInside: boolean, callback: () => A): A {
    const before = this.isInside;
    this.isInside = isInside;
    try {
      return callback();
    } finally {
      this.isInside = before;
    }
  }
}

/** How an application differs from the usual one. */
export interface AngularAppConfig {
  readonly platform?: 'browser' | 'server';
  readonly config?: Partial<LobbyClientConfig>;
  readonly features?: readonly LobbyClientFeature[];
  readonly providers?: readonly (Provider | EnvironmentProviders)[];
  /** What a server has handed over. */
  readonly transferState?: string;
  /** A world that an earlier application has used. */
  readonly world?: ReturnType<typeof createWorld>;
}

let isPrepared = false;

/** An emulator in virtual time, with one identity in one group. */
export function createWorld() {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  return { scheduler, pass, emulator, identity_id, token, group_id };
}

/**
 * An application of Angular without a page, whose client uses an emulator in virtual time. End it
 * with `TestBed.resetTestingModule()`.
 */
export function angularApp({ platform = 'browser', config, features = [], ...more }: AngularAppConfig = {}) {
  if (!isPrepared) {
    TestBed.initTestEnvironment(BrowserTestingModule, platformBrowserTesting());
    isPrepared = true;
  }
  const world = more.world ?? createWorld();
  const { scheduler, emulator, token } = world;
  const errors: unknown[] = [];
  const opened: unknown[][] = [];
  const zone = new TrackedZone();
  const document = {
    // In a `fakePage`, its own.
    get visibilityState() {
      return (globalThis as { readonly document?: { readonly visibilityState: string } }).document
        ?.visibilityState;
    },
    defaultView: { open: (...args: unknown[]) => opened.push(args) },
    getElementById: () => more.transferState && { tagName: 'SCRIPT', textContent: more.transferState },
  };
  TestBed.configureTestingModule({
    // On a server, a visit may end before its test does.
    teardown: { destroyAfterEach: platform === 'browser' },
    providers: [
      { provide: ErrorHandler, useValue: { handleError: (error: unknown) => errors.push(error) } },
      { provide: PLATFORM_ID, useValue: platform },
      { provide: NgZone, useValue: zone },
      { provide: DOCUMENT, useValue: document },
      provideLobbyClient(
        () => ({
          url: emulator.url,
          transport: emulator.transport,
          token: () => token,
          scheduler,
          testing: { random: () => 0 },
          ...config,
        }),
        ...features,
      ),
      ...(more.providers ?? []),
    ],
  });
  const root = TestBed.inject(EnvironmentInjector);
  const application = TestBed.inject(ApplicationRef);
  const render = () => {
    if (!application.destroyed) TestBed.tick();
  };
  return {
    ...world,
    application,
    errors,
    opened,
    zone,
    /** Injects something, as a component does that can be destroyed. */
    component: <A>(create: () => A) => createIn(root, create),
    /** Advances the clock, and renders. */
    pass: (ms: number) => {
      render();
      world.pass(ms);
      render();
    },
    openPolls: () => emulator.requests.filter(({ pending }) => pending).length,
  };
}

/** What a function creates in an injection context that can be destroyed. */
export function createIn<A>(parent: EnvironmentInjector, create: () => A) {
  const created = new InjectionToken<A>('created');
  const injector = createEnvironmentInjector([{ provide: created, useFactory: create }], parent);
  return { value: injector.get(created), destroy: () => injector.destroy() };
}
