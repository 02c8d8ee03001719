export { firstState, transition } from './transition.js';
export { waitLeft } from './pace.js';
export { isDeliverable, movedPosition } from './position.js';
export type { Delivery, Interruption, Transition, WatchEvent, WatchState } from './watch-state.js';
