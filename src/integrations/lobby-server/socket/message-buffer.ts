import { Observable, Subject } from 'rxjs';
import type { LobbyMessage } from '../lobby-socket.js';

/** How many messages are held, and how many of the largest size. */
const MAX_MESSAGES = 64;
const LARGE_MESSAGES = 4;

/** Passes messages on to subscribers, and holds them while there are none. */
export class MessageBuffer {
  readonly message$: Observable<LobbyMessage>;
  readonly #maxBytes: number;
  readonly #overflow: () => void;
  readonly #live$ = new Subject<LobbyMessage>();
  #held: { readonly message: LobbyMessage; readonly bytes: number }[] = [];
  #heldBytes = 0;
  #hasEnded = false;
  #isFlushing = false;

  /** `overflow` is called if the held messages exceed a limit. They are dropped. */
  constructor(maxPayload: number, overflow: () => void) {
    this.#maxBytes = LARGE_MESSAGES * maxPayload;
    this.#overflow = overflow;
    this.message$ = new Observable(subscriber => {
      const subscription = this.#live$.subscribe(subscriber);
      this.#flush();
      return subscription;
    });
  }

  push(message: LobbyMessage, bytes: number): void {
    if (this.#hasEnded) return;
    this.#held.push({ message: this.#live$.observed ? message : copyOf(message), bytes });
    this.#heldBytes += bytes;
    this.#flush();
    if (this.#held.length <= MAX_MESSAGES && this.#heldBytes <= this.#maxBytes) return;
    this.#held = [];
    this.#heldBytes = 0;
    this.#overflow();
  }

  /** No more messages will come: `message$` completes once all held messages have been emitted. */
  end(): void {
    this.#hasEnded = true;
    this.#flush();
  }

  /** One message at a time: if the subscriber leaves after one message, the others must stay held. */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    while (this.#live$.observed && this.#held.length > 0) {
      const { message, bytes } = this.#held.shift()!;
      this.#heldBytes -= bytes;
      this.#live$.next(message);
    }
    this.#isFlushing = false;
    if (this.#hasEnded && this.#held.length === 0) this.#live$.complete();
  }
}

/** A view into one of ws's larger buffers would keep the whole buffer in memory. */
function copyOf(message: LobbyMessage): LobbyMessage {
  if (typeof message === 'string') return message;
  const copy = Buffer.allocUnsafeSlow(message.length);
  copy.set(message);
  return copy;
}
