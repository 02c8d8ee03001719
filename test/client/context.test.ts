import { deepStrictEqual, ok, throws } from 'node:assert';
import { firstValueFrom, isObservable, take, toArray } from 'rxjs';
import {
  createContext,
  eventsWatch,
  feed,
  getMembers,
  identityEventList,
  isInputError,
  nonEmptyString,
  request,
  struct,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';

describe('a context', () => {
  it('sends single requests, and follows events', async () => {
    const emulator = createEmulator();
    const { identity_id, token } = emulator.addIdentity();
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const context = createContext({ url: emulator.url, transport: emulator.transport, token });
    const { members } = await firstValueFrom(request(context, getMembers, { group_id }));
    deepStrictEqual(
      members.map(({ identity }) => identity.identity_id),
      [identity_id],
    );

    const events = feed(context, { linger: 0 });
    const names = firstValueFrom(events.unknown$.pipe(take(2), toArray()));
    for (const name of ['knock', 'wave']) emulator.publish(identity_id, { [name]: {} });
    deepStrictEqual(
      (await names).map(({ name }) => name),
      ['knock', 'wave'],
    );
  });

  it('has no endpoints and no kinds of events: they are given to its functions', () => {
    const given = { url: 'https://api.example', token: 't' };
    throws(() => createContext({ ...given, events: {} } as typeof given), isInputError);
    throws(() => createContext({ token: 't' }), isInputError);
    const Chat = struct('Chat', { text: nonEmptyString });
    const endpoint = { ...eventsWatch, response: identityEventList({ chat: Chat }) };
    const chat$ = feed(createContext(given), {}, endpoint).on('chat');
    ok(isObservable(chat$));
  });
});
