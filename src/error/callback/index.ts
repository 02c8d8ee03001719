export {
  expectRejections,
  isAwaitable,
  isObservable,
  isPromise,
  isSubscription,
  isUnwaitable,
  tagOf,
} from './awaitable.js';
export { guarded, tryOr } from './guarded.js';
