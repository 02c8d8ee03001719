import { Observable, Subject } from 'rxjs';
import type { GateSettings } from './gate-settings.js';
import type { LobbyMessage } from './lobby-message.js';

/** Messages as they come: to whoever is subscribed, and held while nobody is. */
export interface MessageBuffer {
  readonly message$: Observable<LobbyMessage>;
  readonly push: (message: LobbyMessage, bytes: number) => void;
  /** Nothing more comes: `message$` completes when what is held has been taken. */
  readonly end: () => void;
}

/** `overflow` is called where more comes than may be held. */
export function createMessageBuffer(
  { maxHeldMessages, maxHeldBytes }: Pick<GateSettings, 'maxHeldMessages' | 'maxHeldBytes'>,
  overflow: () => void,
): MessageBuffer {
  const live$ = new Subject<LobbyMessage>();
  let held: { readonly message: LobbyMessage; readonly bytes: number }[] = [];
  let bytesHeld = 0;
  let isOver = false;
  let isHandingOver = false;

  // One at a time, as long as someone listens: who takes one message and goes leaves the rest to the next.
  const handOver = () => {
    if (isHandingOver) return;
    isHandingOver = true;
    while (live$.observed && held.length > 0) {
      const { message, bytes } = held.shift()!;
      bytesHeld -= bytes;
      live$.next(message);
    }
    isHandingOver = false;
    if (isOver && held.length === 0) live$.complete();
  };

  return {
    message$: new Observable(subscriber => {
      const subscription = live$.subscribe(subscriber);
      handOver();
      return subscription;
    }),
    push: (message, bytes) => {
      if (isOver) return;
      held.push({ message: live$.observed ? message : ownCopy(message), bytes });
      bytesHeld += bytes;
      handOver();
      if (held.length <= maxHeldMessages && bytesHeld <= maxHeldBytes) return;
      held = [];
      bytesHeld = 0;
      overflow();
    },
    end: () => {
      isOver = true;
      handOver();
    },
  };
}

/** What ws gives is a piece of a larger one, all of which would be held with it. */
function ownCopy(message: LobbyMessage): LobbyMessage {
  if (typeof message === 'string') return message;
  const copy = Buffer.allocUnsafeSlow(message.length);
  copy.set(message);
  return copy;
}
