export { transition } from './transition.js';
export { waitLeft } from './pace.js';
export { isDeliverable } from './expiry.js';
export { movedPosition } from './position.js';
export {
  firstState,
  type Delivery,
  type Interruption,
  type Transition,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';
