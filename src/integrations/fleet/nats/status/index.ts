export { liveWorkers, orderDrain, type LiveWorker } from './live-workers.js';
export { streamOf, type FleetStream, type StreamCopy } from './stream-copies.js';
