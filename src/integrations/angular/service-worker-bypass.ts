import type { TransportRequest } from '../../transport/index.js';

/** The part of a page that is used. */
interface PageLike {
  readonly navigator?: { readonly serviceWorker?: { readonly controller: unknown } };
  readonly location?: { readonly origin: string };
}

/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly origin: string };

/** What Angular's service worker looks for, in the headers and in the query of a request. */
const BYPASS = 'ngsw-bypass';

/**
 * A request that Angular's service worker leaves alone, if a service worker controls the page. It
 * would keep an aborted poll open, answer one player from what another was answered, and say 504
 * while the page is offline.
 */
export function serviceWorkerBypass(request: TransportRequest): TransportRequest {
  const { navigator, location } = globalThis as PageLike;
  if (!navigator?.serviceWorker?.controller) return request;
  // Under the page's own origin a header costs no preflight, and the URL stays as it is.
  if (new URL(request.url).origin === location?.origin)
    return { ...request, headers: { ...request.headers, [BYPASS]: '1' } };
  const separator = request.url.includes('?') ? '&' : '?';
  return { ...request, url: `${request.url}${separator}${BYPASS}=1` };
}
