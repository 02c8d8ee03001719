import type { TransportRequest } from '../../transport/index.js';

/** The part of a page that is used. */
interface PageLike {
  readonly navigator?: { readonly serviceWorker?: { readonly controller: unknown } };
  readonly location?: { readonly origin: string };
}

/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly origin: string };

/** The header, or the query parameter, that Angular's service worker looks for. */
const BYPASS = 'ngsw-bypass';

/**
 * A request that Angular's service worker leaves alone, if a service worker controls the page.
 * Otherwise it would keep an aborted poll open, give one player the answer of another, and answer
 * with 504 while the page is offline.
 */
export function serviceWorkerBypass(request: TransportRequest): TransportRequest {
  const { navigator, location } = globalThis as PageLike;
  if (!navigator?.serviceWorker?.controller) return request;
  // To the page's origin, a header costs no preflight, and the URL stays as it is.
  if (new URL(request.url).origin === location?.origin) {
    return { ...request, headers: { ...request.headers, [BYPASS]: '1' } };
  }
  const separator = request.url.includes('?') ? '&' : '?';
  return { ...request, url: `${request.url}${separator}${BYPASS}=1` };
}
