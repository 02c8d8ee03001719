import type { WatchData } from '../protocol/index.js';
import type { HttpMethod } from './endpoint.js';

/**
 * `unknown` if an endpoint can be watched, otherwise a message for the compiler to show. The endpoint must be a GET, take a
 * `watch_index`, and answer with a `watch.index`.
 */
export type Watchable<Input, Answer, Method extends HttpMethod> = [Method] extends ['GET']
  ? 'watch_index' extends keyof Input
    ? Answer extends { readonly watch: WatchData }
      ? unknown
      : 'this endpoint cannot be watched: its answer has no watch.index'
    : 'this endpoint cannot be watched: it takes no watch_index'
  : `a ${Method} cannot be watched`;

/**
 * `unknown` if an endpoint has pages, otherwise a message for the compiler to show. The endpoint must take an `anchor`, and
 * its answer must have an optional one.
 */
export type Pageable<Input, Answer> = 'anchor' extends keyof Input
  ? Answer extends { readonly anchor?: string | null | undefined }
    ? unknown
    : 'this endpoint has no pages: its answer has no anchor'
  : 'this endpoint has no pages: it takes no anchor';
