import { map, of, type Observable } from 'rxjs';
import type { FaultFields } from './fault-fields.js';
import {
  serviceHeaders,
  urlOf,
  type EmulatedRequest,
  type EmulatedResponse,
  type Handler,
} from '../service/index.js';
import { editAnswer, type EditableAnswer } from './edited-answer.js';

/**
 * The request is handled in a wrong way, as some deployed servers do:
 * - `hot`: a watch never blocks. If nothing is new, it is answered immediately, with a new index.
 * - `repeat`: the caller gets the same events as the last time.
 * - `retention_passed`: the index counts as too old. The events since then are silently lost.
 * - `count_ignored`: pages have the default size, and the second page is the first one without its
 *   first member.
 */
export interface ServerQuirk {
  readonly kind: 'hot' | 'repeat' | 'retention_passed' | 'count_ignored';
}

export const serverQuirkFields: FaultFields<ServerQuirk> = {
  hot: {},
  repeat: {},
  retention_passed: {},
  count_ignored: {},
};

/** The service that a fault wraps. */
export interface Upstream {
  readonly handle: Handler;
  /** The same service, but its watches do not block. */
  readonly handleHot: Handler;
  /** The latest answer with events to the same caller, parsed. */
  readonly lastEvents: object | undefined;
}

export function serverQuirk(
  { kind }: ServerQuirk,
  request: EmulatedRequest,
  { handle, handleHot, lastEvents }: Upstream,
): Observable<EmulatedResponse> {
  const url = urlOf(request);
  // The service itself rejects an invalid URL.
  if (!url) return handle(request);
  const { searchParams: query } = url;
  const changed = () => ({ ...request, url: url.pathname + url.search });

  switch (kind) {
    case 'hot':
      return handleHot(request);
    case 'repeat': {
      const index = query.get('watch_index');
      if (lastEvents === undefined || index === null) return handle(request);
      // The answer has the caller's index, so that events since then are not lost.
      const body = JSON.stringify({ ...lastEvents, watch: { index } });
      return of({ status: 200, headers: serviceHeaders('repeat'), body });
    }
    case 'retention_passed':
      query.delete('watch_index');
      return handle(changed());
    case 'count_ignored': {
      const isSecond = query.has('anchor');
      query.delete('count');
      query.delete('anchor');
      const withoutFirst = (answer: EditableAnswer) =>
        isSecond && answer.members ? { ...answer, members: answer.members.slice(1) } : answer;
      return handle(changed()).pipe(map(response => editAnswer(response, withoutFirst)));
    }
  }
}
