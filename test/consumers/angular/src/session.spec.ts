import '@angular/compiler';
import { VERSION } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { expect, test, vi } from 'vitest';
import { createEmulator, listen } from 'lobby-rx/emulator';

/** A machine may have much other work. */
const PATIENCE_MS = 60_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });
const eventually = (check: () => void) => vi.waitFor(check, PATIENCE_MS);

/** The sign-in of an application. */
const signIn = ({ token }: { readonly token: string }) =>
  Promise.resolve({ token, renew: () => Promise.resolve(token) });

test('a client ends with its session, and the next one has a client of its own', async () => {
  // Its default until 20.
  if (Number(VERSION.major) <= 20) await import('zone.js');
  const emulator = createEmulator({ collectTime: 0 });
  const [ada, grace] = [emulator.addIdentity(), emulator.addIdentity()];
  const group_id = emulator.addGroup();
  for (const { identity_id } of [ada!, grace!]) emulator.join(group_id, identity_id);
  const server = await listen(emulator);
  Object.assign(globalThis, { group_id, url: server.url });
  document.body.append(document.createElement('app-root'));
  const { Root } = await import('./session-app');
  const app = await bootstrapApplication(Root);
  const root = app.components[0]!.instance as InstanceType<typeof Root>;
  const polling = () => emulator.requests.filter(({ pending }) => pending).map(({ token }) => token);
  const shows = (text: string) => eventually(() => expect(document.body.textContent).toContain(text));
  // Signed out before the sign-in has an answer, and in again.
  void root.signIn(signIn(grace!));
  root.signOut();
  await root.signIn(signIn(ada!));
  await shows('2 members');
  await eventually(() => expect(polling()).toEqual([ada!.token]));
  await root.signIn(signIn(grace!));
  await eventually(() => expect(polling()).toEqual([grace!.token]));
  await shows('2 members');
  root.signOut();
  await eventually(() => expect([polling(), document.body.textContent?.trim()]).toEqual([[], '']));
  // An application may end while somebody is signed in.
  await root.signIn(signIn(ada!));
  await eventually(() => expect(polling()).toEqual([ada!.token]));
  app.destroy();
  await eventually(() => expect(polling()).toEqual([]));
  await server.close();
});
