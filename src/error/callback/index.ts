export { expectRejections, isAwaitable, isObservable, isPromise, isUnbegun } from './awaitable.js';
export { guarded, tryOr } from './guarded.js';
