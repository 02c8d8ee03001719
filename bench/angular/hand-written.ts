// What the board needs of lobby-rx, as people write it by hand: it ends at the first error, checks
// nothing, and polls in each tab.
import { DestroyRef, effect, inject, InjectionToken, signal } from '@angular/core';
import { SERVICE_URL } from './service-url';
import { SESSION } from './session';

type Handler = (event: any) => void;

async function* watch(url: string, token: string, signal: AbortSignal): AsyncGenerator<any> {
  for (let index: string | undefined; !signal.aborted;) {
    const query =
      index === undefined ? '' : `${url.includes('?') ? '&' : '?'}watch_index=${encodeURIComponent(index)}`;
    const response = await fetch(url + query, { headers: { authorization: `Bearer ${token}` }, signal });
    const answer = await response.json();
    index = answer.watch.index;
    yield answer;
  }
}

const HANDLERS = new InjectionToken('handlers', { factory: () => new Set<Handler>() });

export function injectFeed() {
  const [url, session, handlers] = [inject(SERVICE_URL), inject(SESSION), inject(HANDLERS)];
  const status = signal<any>({ state: 'connecting' });
  const abort = new AbortController();
  inject(DestroyRef).onDestroy(() => abort.abort());
  const follow = async () => {
    for await (const { events } of watch(`${url}/identity/events/live`, session?.token ?? '', abort.signal)) {
      status.set({ state: 'live' });
      for (const event of events) for (const handle of handlers) handle(event);
    }
  };
  if (typeof window !== 'undefined' && handlers.size === 0) void follow();
  return {
    status,
    leads: signal(true),
    gap: signal<unknown>(undefined),
    dismiss: (_: unknown) => undefined,
    reload: () => undefined,
    on: (kind: string, handle: Handler) =>
      handlers.add(({ kind: kinds, notification }) => {
        const [[name, payload]] = Object.entries<any>(kinds) as [[string, any]];
        const isKnown = ['identity_update', 'matchmaker_lobby_join'].includes(name);
        if (name === kind) handle({ ...payload, notification });
        else if (kind === 'unknown' && !isKnown) handle({ name, notification });
      }),
  };
}

export function injectRoster(group_id: () => string, _config?: unknown) {
  const [url, session] = [inject(SERVICE_URL), inject(SESSION)];
  const value = signal<any>(undefined);
  effect(onCleanup => {
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    const path = `${url}/v1/groups/${group_id()}/members?count=1000`;
    const follow = async () => {
      for await (const { members } of watch(path, session?.token ?? '', abort.signal))
        value.set(new Map(members.map((member: any) => [member.identity.identity_id, member])));
    };
    void follow();
  });
  return {
    value,
    status: signal<any>({ state: 'live' }),
    error: signal<unknown>(undefined),
    hasValue: () => value() !== undefined,
    reload: () => undefined,
  };
}

export function injectNotifications() {
  const shown = signal<any[]>([]);
  const dismiss = (id: number) => shown.update(before => before.filter(one => one.id !== id));
  let last = 0;
  injectFeed().on('unknown', ({ notification }) => {
    if (!notification) return;
    const id = ++last;
    shown.update(before => [...before, { id, notification, canOpen: true }]);
    setTimeout(() => dismiss(id), 6_000);
  });
  const ignore = (_id: number, _by?: string) => undefined;
  return { shown, dismiss, hold: ignore, release: ignore, open: ignore };
}

export function lobbyAddress({ ports }: any) {
  const [{ hostname, port, is_tls }] = Object.values<any>(ports) as [any];
  return { url: `${is_tls ? 'wss' : 'ws'}://${hostname}:${port}/` };
}

export const isUnauthorizedError = (_: unknown) => false;
export const acrossTabs = (_: string) => undefined;
export type LobbyJoin = any;
export type GroupMember = any;
export type IdentityHandle = any;
