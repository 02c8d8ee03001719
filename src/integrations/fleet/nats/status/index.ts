export { liveWorkers, orderDrain, type LiveWorker } from './live-workers.js';
export { streamsOf, type FleetStream, type StreamCopy } from './stream-copies.js';
