import type { Transport } from '../transport/index.js';
import type { Service } from './service.js';

/** What it takes to make requests. */
export interface Wire {
  readonly transport: Transport;
  /** Where each service lives; no slash at the end. */
  readonly baseUrls: Readonly<Record<Service, string>>;
  /** What time it is, in ms since 1970: a server may say until when to wait. */
  readonly now: () => number;
}
