import { Observable, Subject } from 'rxjs';
import type { PlayerMessage } from '../../../player/index.js';

/** How many messages are buffered. */
const MAX_MESSAGES = 64;

/** How many messages of the largest size are buffered. */
const MAX_LARGE_MESSAGES = 4;

interface BufferedMessage {
  readonly message: PlayerMessage;
  readonly bytes: number;
}

/** Passes messages on to subscribers, and buffers them while it has no subscriber. */
export class MessageBuffer {
  readonly message$: Observable<PlayerMessage>;
  readonly #maxBytes: number;
  readonly #live$ = new Subject<PlayerMessage>();
  #buffered: BufferedMessage[] = [];
  #bufferedBytes = 0;
  #hasEnded = false;
  #isFlushing = false;

  constructor(maxPayload: number) {
    this.#maxBytes = MAX_LARGE_MESSAGES * maxPayload;
    this.message$ = new Observable(subscriber => {
      const subscription = this.#live$.subscribe(subscriber);
      this.#flush();
      return subscription;
    });
  }

  /** Returns whether there was room. If not, all buffered messages are dropped. */
  push(message: PlayerMessage, bytes: number): boolean {
    if (this.#hasEnded) return true;
    if (this.#live$.observed && this.#buffered.length === 0 && !this.#isFlushing) {
      this.#live$.next(message);
      return true;
    }
    this.#buffered.push({ message: copyOf(message), bytes });
    this.#bufferedBytes += bytes;
    this.#flush();
    if (this.#buffered.length <= MAX_MESSAGES && this.#bufferedBytes <= this.#maxBytes) return true;
    this.#take();
    return false;
  }

  /** Moves its messages to another buffer. Returns whether that had room for them. */
  moveTo(other: MessageBuffer): boolean {
    return this.#take().every(({ message, bytes }) => other.push(message, bytes));
  }

  /** No more messages will come. `message$` completes once it has emitted all buffered messages. */
  end(): void {
    this.#hasEnded = true;
    this.#flush();
  }

  #take(): readonly BufferedMessage[] {
    const taken = this.#buffered;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    return taken;
  }

  /**
   * Emits one message at a time. If the subscriber leaves after a message, the others stay
   * buffered.
   */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    while (this.#live$.observed && this.#buffered.length > 0) {
      const { message, bytes } = this.#buffered.shift()!;
      this.#bufferedBytes -= bytes;
      this.#live$.next(message);
    }
    this.#isFlushing = false;
    if (this.#hasEnded && this.#buffered.length === 0) this.#live$.complete();
  }
}

/** A view into one of ws's larger buffers would keep the whole buffer in memory. */
function copyOf(message: PlayerMessage): PlayerMessage {
  if (typeof message === 'string') return message;
  const copy = Buffer.allocUnsafeSlow(message.length);
  copy.set(message);
  return copy;
}
