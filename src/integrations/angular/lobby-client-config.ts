import type { ClientConfig } from '../../client/index.js';
import { aBoolean, checkArgument, milliseconds } from '../../error/index.js';
import type { EventCodecs, NoOwnEvents } from '../../protocol/index.js';

/**
 * The argument of `provideLobbyClient`: the options of `createClient`, and those of an application.
 * Angular itself knows whether it `renders` on a server.
 */
export interface LobbyClientConfig<Codecs extends EventCodecs = NoOwnEvents> extends Omit<
  ClientConfig<Codecs>,
  'renders'
> {
  /**
   * On a server, the application of a visit is destroyed when the visitor leaves, and at the latest
   * after this time, in ms. Otherwise Angular would keep an application that waits for something
   * that never comes. Default 60,000.
   */
  readonly renderTimeout?: number;
  /**
   * Whether requests ask Angular's service worker to leave them alone, with `ngsw-bypass`. That is
   * a header if the request goes to the page's origin, and a part of the query otherwise. Without a
   * service worker it has no effect. Default true.
   */
  readonly bypassServiceWorker?: boolean;
}

/** The default of {@link LobbyClientConfig.renderTimeout}, in ms. */
const RENDER_TIMEOUT_MS = 60_000;

/**
 * Separates the options of the client from those of the application. Throws an `InputError` if one
 * of the latter is invalid.
 */
export function checkedLobbyClientConfig({
  renderTimeout = RENDER_TIMEOUT_MS,
  bypassServiceWorker = true,
  ...config
}: LobbyClientConfig<EventCodecs>) {
  checkArgument('renderTimeout', milliseconds, renderTimeout);
  checkArgument('bypassServiceWorker', aBoolean, bypassServiceWorker);
  return { config, renderTimeout, bypassServiceWorker };
}
