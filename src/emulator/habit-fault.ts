import { map, of, type Observable } from 'rxjs';
import { editAnswer, type WatchedAnswer } from './edit-answer.js';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { Fault } from './fault.js';
import type { Handler } from './handler.js';
import { respond } from './respond.js';
import type { World } from './world.js';

/** The faults that are habits of deployed servers: the request itself is understood in another way. */
export function habitFault(
  fault: Fault,
  request: EmulatedRequest,
  handle: Handler,
  world: World,
  lastEvents: unknown,
): Observable<EmulatedResponse> {
  const url = new URL(request.url, 'http://emulator');
  const { searchParams: query } = url;
  const changed = () => ({ ...request, url: url.pathname + url.search });

  switch (fault.kind) {
    case 'hot':
      return respond(request, { ...world, config: { ...world.config, blockTime: 0 } });
    case 'retention_passed':
      query.delete('watch_index');
      return handle(changed());
    case 'repeat': {
      // Under the index that the caller has: what came since is not lost by it.
      const index = query.get('watch_index');
      if (lastEvents === undefined || index === null) return handle(request);
      const body = JSON.stringify({ ...(lastEvents as WatchedAnswer), watch: { index } });
      return of({ status: 200, headers: { 'content-type': 'application/json' }, body });
    }
    case 'count_ignored': {
      const isSecond = query.has('anchor');
      query.delete('count');
      query.delete('anchor');
      const lessOne = (answer: WatchedAnswer) => ({
        ...answer,
        members: answer.members?.slice(isSecond ? 1 : 0),
      });
      return handle(changed()).pipe(map(response => editAnswer(response, lessOne)));
    }
    default:
      return handle(request);
  }
}
