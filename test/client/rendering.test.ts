import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { firstValueFrom, type Observable } from 'rxjs';
import {
  createClient,
  getMembers,
  isInputError,
  type ClientConfig,
  type WatchSignal,
  type WatchStatus,
} from 'lobby-rx';
import { whileAlive } from 'lobby-rx/browser';
import { createEmulator } from 'lobby-rx/emulator';
import { feedState, rosterState, type StateObservable } from 'lobby-rx/views';
import { spawnTs } from '../spawn-ts.js';
import { virtualTime } from '../virtual-time.js';

/** What every state has. */
interface AnyState {
  readonly status: WatchStatus;
}

/** A client of a group with one member. */
function open(config: Partial<ClientConfig> = {}) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const { url, transport } = emulator;
  const client = createClient({ url, transport, token, scheduler, renders: true, ...config });
  return { client, emulator, group_id, identity_id, pass, scheduler };
}

describe('a client that renders pages', () => {
  it('sends nothing for what changes over time: it stays idle, and never ends', async () => {
    const { client, emulator, group_id, pass, scheduler } = open();
    const seen: unknown[] = [];
    const observer = {
      next: (value: unknown) => seen.push(value),
      error: () => seen.push('error'),
      complete: () => seen.push('complete'),
    };
    const { group, events } = client;
    const streams: readonly Observable<unknown>[] = [
      group.roster(group_id),
      group.watchMembers(group_id),
      events.batches(),
      events.feed.all$,
      events.createFeed({ share: whileAlive }).gap$,
      client.unauthorized$,
    ];
    for (const stream$ of streams) stream$.subscribe(observer);
    client.wake();
    pass(600_000);
    client.close();
    events.feed.all$.subscribe(observer);
    pass(600_000);
    deepStrictEqual([seen, emulator.requests.length, scheduler.actions.length], [[], 0, 0]);
    strictEqual((await firstValueFrom(events.feed.status$)).state, 'idle');
  });

  it('says in its signals that it is idle', () => {
    const { client, group_id, pass } = open();
    const signals: WatchSignal<unknown>[] = [];
    client.group.rosterSignals(group_id).subscribe(signal => signals.push(signal));
    client.watchSignals(getMembers, { group_id }).subscribe(signal => signals.push(signal));
    pass(5_000);
    deepStrictEqual(
      signals.map(signal => (signal.kind === 'status' ? signal.status.state : signal.kind)),
      ['idle', 'idle'],
    );
  });

  it('has states that stay idle, with any number of subscribers, before and after its end', () => {
    const { client, emulator, group_id, pass, scheduler } = open();
    const seen: string[] = [];
    const states: readonly StateObservable<AnyState>[] = [rosterState(client, group_id), feedState(client)];
    const show = () => {
      for (const state of states) {
        const observer = {
          next: ({ status }: AnyState) => seen.push(status.state),
          complete: () => seen.push('complete'),
        };
        state.subscribe(observer).unsubscribe();
        state.subscribe(observer);
        state.reload();
      }
    };
    show();
    pass(10_000);
    client.close();
    show();
    deepStrictEqual([new Set(seen), emulator.requests.length], [new Set(['idle']), 0]);
    strictEqual(scheduler.actions.length, 0);
  });

  it('sends single requests and pages, for any token', async () => {
    const { client, group_id, identity_id, emulator } = open();
    const second = emulator.addIdentity();
    emulator.join(group_id, second.identity_id);
    const { members } = await firstValueFrom(client.group.getMembers({ group_id }));
    const other = client.as(second.token);
    const member = await firstValueFrom(other.group.members(group_id));
    deepStrictEqual(
      [members[0]?.identity.identity_id, member.identity.identity_id, other.renders],
      [identity_id, identity_id, true],
    );
  });

  it('refuses what is neither true nor false', () => {
    throws(
      () => open({ renders: 'server' as unknown as boolean }),
      (error: unknown) => isInputError(error) && error.message.includes('renders'),
    );
  });
});

describe('a state outside of a page', () => {
  const states = (renders: string) => spawnTs('test/client/rendered-states.ts', [renders]).exited;

  it('says once that a server has to pass `renders`, unless the client was told', async () => {
    const { code, err } = await states('undefined');
    deepStrictEqual([code, err.split('renders: true').length - 1], [0, 1]);
    for (const told of ['true', 'false']) deepStrictEqual((await states(told)).err, '', told);
  });
});
