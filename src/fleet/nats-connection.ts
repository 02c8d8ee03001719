import type { NatsConnection } from '@nats-io/transport-node';
import type { Guard } from '../error/index.js';

/** A connection to NATS, or one that is being made. */
export type Nats = NatsConnection | PromiseLike<NatsConnection>;

/** Says so if something else is given. */
export const natsConnection: Guard<Nats> = {
  name: 'what connect() of @nats-io/transport-node returns',
  is: (u): u is Nats => {
    const { then, request } = Object(u) as { then?: unknown; request?: unknown };
    return typeof then === 'function' || typeof request === 'function';
  },
};
