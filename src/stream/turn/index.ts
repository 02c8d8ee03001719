export { nextTurn } from './next-turn.js';
export { spreadWait, waitLeft } from './pace.js';
export { ageLimit, isTakable, movedPlace, waitBeforeExpiry } from './place.js';
export {
  firstState,
  type Delivery,
  type Interruption,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';
