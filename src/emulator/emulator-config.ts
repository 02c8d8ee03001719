import type { SchedulerLike } from 'rxjs';
import type { SavedWorld } from './saved-world.js';

/** How an emulated service behaves. Everything is optional; the defaults are what deployed servers were seen to do. */
export interface EmulatorConfig {
  /** How long a watch blocks while nothing happens, in ms. Default 40,000. */
  readonly blockTime?: number;
  /** How long a watch goes on collecting after a first event, in ms. Default 100. */
  readonly collectTime?: number;
  /** How long events are kept, in ms; an older index is answered at once, with nothing. Default 300,000. */
  readonly retention?: number;
  /** How long a player token waits for its confirmation, in ms. Default 120,000. */
  readonly reservation?: number;
  /** How many members a page has where no `count` is sent. Default 16. */
  readonly pageSize?: number;
  /** Makes the ids and tokens: the same seed, the same world. Default 1. */
  readonly seed?: number;
  /** A world that was saved before, to go on with. Default: an empty one. */
  readonly saved?: SavedWorld;
  /** What time is read from; a `VirtualTimeScheduler` makes a world without waiting. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
