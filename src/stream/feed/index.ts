export { queuedSignals, type Audience } from './audience.js';
export { runWhile } from './run-while.js';
export {
  audienceFeed,
  eventFeed,
  KINDS,
  ofKind,
  type EventFeed,
  type EventFeedConfig,
  type FeedSource,
} from './event-feed.js';
