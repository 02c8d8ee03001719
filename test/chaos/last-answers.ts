import { tap } from 'rxjs';
import type { EmulatedRequest, Emulator, Handler } from 'lobby-rx/emulator';

/** What is known of the last answer with events to each caller. */
export interface LastAnswers {
  /** The emulator's handler, with the answers noted. */
  readonly handle: Handler;
  /**
   * Whether the caller has committed the last answer with events: it asks from that answer's index,
   * or from a later one. Only then can it know a repetition of that answer for what it is.
   */
  readonly hasCommitted: (request: EmulatedRequest) => boolean;
}

export function lastAnswers(emulator: Emulator): LastAnswers {
  /** The index after the last events, for each token; infinite if they did not arrive whole. */
  const issued = new Map<string | undefined, number>();
  return {
    handle: request =>
      emulator.handle(request).pipe(
        tap(({ body, delivery = 'whole' }) => {
          if (!body.startsWith('{"events":[{')) return;
          const index = delivery === 'whole' ? /"watch":\{"index":"(\d+)"\}\}$/.exec(body)?.[1] : undefined;
          issued.set(request.headers.authorization, Number(index ?? Infinity));
        }),
      ),
    hasCommitted: ({ url, headers }) => {
      const index = new URL(url, 'http://emulator').searchParams.get('watch_index');
      return index !== null && Number(index) >= (issued.get(headers.authorization) ?? Infinity);
    },
  };
}
