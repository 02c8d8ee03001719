import type { SchedulerLike } from 'rxjs';
import type { TabLocks } from './tab-lock.js';

/** What the tabs that share a watch have in common. */
export interface TabSettings {
  /** Of the lock and of the channel. */
  readonly name: string;
  readonly scheduler: SchedulerLike;
  readonly browser: TabBrowser;
  /** Called when this tab becomes the leader, and when it is not any more. */
  readonly onLead: (isLeading: boolean) => void;
}

/** What is needed of a browser. */
export interface TabBrowser {
  readonly locks: TabLocks;
  readonly openChannel: (name: string) => TabChannel;
  readonly isVisible: () => boolean;
}

/** The part of a BroadcastChannel that is used. */
export interface TabChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}
