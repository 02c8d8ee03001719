/**
 * Presets for `watch`: how services of other kinds are polled, and what their answers mean.
 *
 * @module lobby-rx/services
 */

export {
  bayeuxChannel,
  type BayeuxChannelConfig,
  type BayeuxMessage,
  type BayeuxMessages,
} from './bayeux-channel.js';
export { boshSession, type BoshSessionConfig, type BoshStanzas } from './bosh-session.js';
export {
  couchChanges,
  type CouchChange,
  type CouchChanges,
  type CouchChangesConfig,
} from './couch-changes.js';
export { durableStream, type DurableBatch } from './durable-stream.js';
export { etcdKey, type EtcdChange, type EtcdChanges, type EtcdKeyConfig } from './etcd-key.js';
export { linesOf } from './lines-of.js';
export { nchanChannel, type NchanMessage } from './nchan-channel.js';
export type { BodyReader, ServiceFetch, ServiceRequestConfig, ServiceResponse } from './service-request.js';
export { sseEvents, type SseEvent } from './sse-events.js';
export {
  syncthingEvents,
  type SyncthingEvent,
  type SyncthingEvents,
  type SyncthingEventsConfig,
} from './syncthing-events.js';
