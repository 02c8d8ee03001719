import { map, of, type Observable } from 'rxjs';
import type { FaultFields } from './fault-fields.js';
import type { EmulatedRequest, EmulatedResponse, Handler } from '../service/index.js';
import { editAnswer, type EditableAnswer } from './edited-answer.js';

/**
 * The request is understood in another way, as some deployed servers do:
 * - `hot`: a watch never blocks; if nothing is new, it is answered at once, with a new index.
 * - `repeat`: the caller gets the same events as last time.
 * - `retention_passed`: the index counts as too old; the events since then are lost, without a sign.
 * - `count_ignored`: pages have the default size, and the second one repeats the first, without its first member.
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

/** The service behind the fault. */
export interface Upstream {
  readonly handle: Handler;
  /** The same, but its watches do not block. */
  readonly handleHot: Handler;
  /** The latest answer with events to the same caller, parsed. */
  readonly lastEvents: object | undefined;
}

export function serverQuirk(
  { kind }: ServerQuirk,
  request: EmulatedRequest,
  { handle, handleHot, lastEvents }: Upstream,
): Observable<EmulatedResponse> {
  const url = new URL(request.url, 'http://emulator');
  const { searchParams: query } = url;
  const changed = () => ({ ...request, url: url.pathname + url.search });

  switch (kind) {
    case 'hot':
      return handleHot(request);
    case 'repeat': {
      const index = query.get('watch_index');
      if (lastEvents === undefined || index === null) return handle(request);
      // With the caller's own index: events that have happened since must not get lost.
      const body = JSON.stringify({ ...lastEvents, watch: { index } });
      return of({ status: 200, headers: { 'content-type': 'application/json' }, body });
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
