import type { SchedulerLike } from 'rxjs';
import type { TabLocks } from '../../../src/integrations/browser/tab-lock.js';
import type { TabChannel } from '../../../src/integrations/browser/tab-message.js';
import type { EventLoop } from './event-loop.js';

/** What the parts of the browser need of one of its tabs. */
export interface TabProcess {
  readonly clientId: string;
  readonly loop: EventLoop;
}

interface LockRequest {
  readonly clientId: string;
  readonly grant: () => Promise<void>;
  readonly take: () => void;
}

/** The one lock of the browser, and the requests that wait for it. */
export class VirtualLocks {
  #held: LockRequest | undefined;
  #queue: LockRequest[] = [];

  /** The locks as a tab sees them. */
  of(process: TabProcess): TabLocks {
    return {
      request: (_, options, callback) =>
        new Promise((resolve, reject) => {
          const request = this.#requestOf(process, callback, resolve, reject);
          if ('steal' in options) this.#steal(request);
          else this.#enqueue(request, options.signal as AbortSignal, reject);
        }),
      query: () =>
        Promise.resolve({
          held: this.#held ? [infoOf(this.#held)] : [],
          pending: this.#queue.map(infoOf),
        }),
    };
  }

  #requestOf(
    { loop, clientId }: TabProcess,
    callback: () => unknown,
    resolve: (value: undefined) => void,
    reject: (error: Error) => void,
  ): LockRequest {
    const request: LockRequest = {
      clientId,
      take: () => loop.run(() => reject(new Error('stolen'))),
      grant: async () => {
        await new Promise<void>(granted => loop.run(granted));
        await callback();
        resolve(undefined);
        if (this.#held === request) this.#next();
      },
    };
    return request;
  }

  #steal(request: LockRequest): void {
    this.#held?.take();
    this.#held = request;
    void request.grant();
  }

  #enqueue(request: LockRequest, signal: AbortSignal, reject: (error: Error) => void): void {
    this.#queue.push(request);
    signal.addEventListener('abort', () => {
      this.#queue = this.#queue.filter(other => other !== request);
      reject(new Error('aborted'));
    });
    if (!this.#held) this.#next();
  }

  #next(): void {
    this.#held = this.#queue.shift();
    void this.#held?.grant();
  }
}

function infoOf({ clientId }: LockRequest) {
  return { name: 'tabs', clientId };
}

/** The channels of all tabs, which have one name. */
export class VirtualChannels {
  readonly #open = new Map<TabChannel, EventLoop>();
  readonly #scheduler: SchedulerLike;

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
  }

  open({ loop }: TabProcess): TabChannel {
    const channel: TabChannel = {
      onmessage: null,
      postMessage: message => {
        const data: unknown = structuredClone(message);
        for (const [other, otherLoop] of this.#open) {
          // As late as a message of another process.
          const receive = () => otherLoop.run(() => other.onmessage?.({ data }));
          if (other !== channel) this.#scheduler.schedule(receive, 1);
        }
      },
      close: () => {
        channel.onmessage = null;
        this.#open.delete(channel);
      },
    };
    this.#open.set(channel, loop);
    return channel;
  }

  say(data: unknown): void {
    for (const channel of this.#open.keys()) channel.onmessage?.({ data });
  }
}
