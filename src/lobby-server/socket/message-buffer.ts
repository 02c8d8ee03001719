import { Observable, Subject } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbyMessage } from '../lobby-socket.js';

/** How many messages are held, and how many of the largest size. */
const MAX_MESSAGES = 64;
const LARGE_MESSAGES = 4;

/** Passes messages on to subscribers, and holds them while there are none. */
export interface MessageBuffer {
  readonly message$: Observable<LobbyMessage>;
  readonly push: (message: LobbyMessage, bytes: number) => void;
  /** No more messages will come: `message$` completes once all held messages have been emitted. */
  readonly end: () => void;
}

/** `overflow` is called if the held messages exceed a limit. They are dropped. */
export function createMessageBuffer(
  { maxPayload }: Pick<GateSettings, 'maxPayload'>,
  overflow: () => void,
): MessageBuffer {
  const live$ = new Subject<LobbyMessage>();
  let held: { readonly message: LobbyMessage; readonly bytes: number }[] = [];
  let heldBytes = 0;
  let hasEnded = false;
  let isFlushing = false;

  // One message at a time: if the subscriber leaves after one message, the others must stay held.
  const flush = () => {
    if (isFlushing) return;
    isFlushing = true;
    while (live$.observed && held.length > 0) {
      const { message, bytes } = held.shift()!;
      heldBytes -= bytes;
      live$.next(message);
    }
    isFlushing = false;
    if (hasEnded && held.length === 0) live$.complete();
  };

  return {
    message$: new Observable(subscriber => {
      const subscription = live$.subscribe(subscriber);
      flush();
      return subscription;
    }),
    push: (message, bytes) => {
      if (hasEnded) return;
      held.push({ message: live$.observed ? message : copyOf(message), bytes });
      heldBytes += bytes;
      flush();
      if (held.length <= MAX_MESSAGES && heldBytes <= LARGE_MESSAGES * maxPayload) return;
      held = [];
      heldBytes = 0;
      overflow();
    },
    end: () => {
      hasEnded = true;
      flush();
    },
  };
}

/** A view into one of ws's larger buffers would keep the whole buffer in memory. */
function copyOf(message: LobbyMessage): LobbyMessage {
  if (typeof message === 'string') return message;
  const copy = Buffer.allocUnsafeSlow(message.length);
  copy.set(message);
  return copy;
}
