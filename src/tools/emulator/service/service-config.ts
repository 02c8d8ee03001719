import { milliseconds, type Options } from '../../../error/index.js';

/**
 * How the emulated service answers. All options are optional. The defaults are the values of
 * deployed servers.
 */
export interface ServiceConfig {
  /** How long a watch blocks if nothing happens, in ms. Default 40,000. */
  readonly blockTime?: number;
  /** How long a watch collects further changes after the first one, in ms. Default 100. */
  readonly collectTime?: number;
}

/** A {@link ServiceConfig} with the defaults filled in. */
export type ServiceSettings = Required<ServiceConfig>;

export const serviceOptions: Options<ServiceConfig> = {
  blockTime: milliseconds,
  collectTime: milliseconds,
};

export function serviceSettings(config: ServiceConfig): ServiceSettings {
  const { blockTime = 40_000, collectTime = 100 } = config;
  return { blockTime, collectTime };
}
