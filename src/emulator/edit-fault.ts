import { map, type Observable } from 'rxjs';
import { editAnswer, type WatchedAnswer } from './edit-answer.js';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { Fault } from './fault.js';
import type { Handler } from './handler.js';

/** The faults of what an answer says: it comes, and is not right. */
export function editFault(
  fault: Fault,
  request: EmulatedRequest,
  handle: Handler,
): Observable<EmulatedResponse> | undefined {
  const edit = editOf(fault);
  return edit && handle(request).pipe(map(response => editAnswer(response, edit)));
}

function editOf(fault: Fault): ((answer: WatchedAnswer) => object) | undefined {
  const index = (change: (index: string) => string) => (answer: WatchedAnswer) => ({
    ...answer,
    watch: { index: change(answer.watch?.index ?? '') },
  });
  const shift = (ms: number) => index(text => String(Number(text) + ms));

  switch (fault.kind) {
    case 'index_missing':
      return answer => ({ ...answer, watch: undefined });
    case 'index_empty':
      return index(() => '');
    case 'index_absurd':
      return index(() => '9'.repeat(100_000));
    case 'index_backwards':
      return shift(-(fault.ms ?? 10_000));
    case 'index_skewed':
      return shift(fault.ms ?? -250);
    case 'last_event_only':
      return answer => ({ ...answer, ...(answer.events && { events: answer.events.slice(-1) }) });
    default:
      return undefined;
  }
}
