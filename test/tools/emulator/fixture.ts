import {
  createEmulator,
  type EmulatedRequest,
  type EmulatedResponse,
  type Emulator,
} from 'lobby-rx/emulator';
import { virtualTime } from '../../virtual-time.js';

/** An emulator in virtual time, with an identity that is the only member of a group. */
export function createFixture() {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const me = emulator.addIdentity();
  const group_id = emulator.addGroup();
  emulator.join(group_id, me.identity_id);
  return { scheduler, pass, emulator, me, group_id };
}

/** Sends a request. `answer` is set once the emulator has answered. `abort` aborts the request. */
export function send(emulator: Emulator, request: Partial<EmulatedRequest>) {
  const sent: { answer?: EmulatedResponse; readonly abort: () => void } = {
    abort: () => subscription.unsubscribe(),
  };
  const subscription = emulator
    .handle({ method: 'GET', url: '/', headers: {}, ...request })
    .subscribe(answer => {
      sent.answer = answer;
    });
  return sent;
}

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
export const json = (answer?: EmulatedResponse) =>
  JSON.parse(answer?.body ?? 'null') as Record<string, unknown>;
export const indexOf = (answer?: EmulatedResponse) => (json(answer).watch as { index: string }).index;
export const codeOf = (answer?: EmulatedResponse) => `${answer?.status} ${String(json(answer).code)}`;
