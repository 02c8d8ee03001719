export { nextTurn } from './next-turn.js';
export { waitLeft } from './pace.js';
export { isTakable, movedPlace, waitBeforeExpiry } from './place.js';
export {
  firstState,
  type Delivery,
  type Interruption,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';
