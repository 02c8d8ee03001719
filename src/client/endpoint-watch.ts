import { defer, NEVER, startWith, type Observable } from 'rxjs';
import { answerKey, requestText, type Endpoint } from '../endpoint/index.js';
import { cursorArgument, definedOptions } from '../error/index.js';
import {
  continuingWatch,
  idle,
  watchSettings,
  type AnswerSettings,
  type OwnReading,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientContext } from './context.js';

/**
 * How to poll an endpoint, and the settings of its watch. An option of the config replaces that of
 * the endpoint.
 */
interface EndpointWatch<Answer> {
  readonly poll: SinglePoll<Answer>;
  readonly settings: WatchSettings<Answer>;
}

/** Prepares watches of an endpoint. Throws an `InputError` if the config is invalid. */
export function endpointWatch<Input, Answer>(
  { polling, watch, quota, life }: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): EndpointWatch<Answer> {
  const { isEmpty, isState, keyOf, withoutNews } = Object(endpoint) as OwnReading<Answer> &
    Pick<AnswerSettings<Answer>, 'withoutNews'>;
  const settings = watchSettings<Answer>(
    { ...(watch as WatchConfig<Answer>), ...definedOptions(config) },
    definedOptions({
      reading: definedOptions({
        isEmpty,
        isState,
        keyOf,
        // `answerKey` takes less time, but leaves out only `watch`. With another `indexOf`, the
        // index is somewhere else.
        contentOf: config?.indexOf === undefined && config?.read === undefined ? answerKey : undefined,
      }),
      withoutNews,
      isIndex: cursorArgument.is,
      tryNow$: life.tryNow$,
      quota: quota.of(endpoint),
    }) as AnswerSettings<Answer>,
  );
  return {
    poll: (watch_index, { needsFreshConnection, onArrival, onSent, pollOf }) =>
      // A spread that adds a name would cost each input a separate hidden class in Node 20.
      requestText(polling, endpoint, Object.assign({}, input, { watch_index }) as Input, {
        kind: 'poll',
        needsFreshConnection,
        onArrival,
        onSent,
        pollOf,
      }),
    settings,
  };
}

/**
 * The signals of a watch of the client. If the client renders pages, nothing is sent, the watch is
 * `idle`, and it does not end.
 */
export function unlessRendering<A>(
  { renders, scheduler }: ClientContext,
  signal$: Observable<WatchSignal<A>>,
): Observable<WatchSignal<A>> {
  if (!renders) return signal$;
  return defer(() => NEVER.pipe(startWith({ kind: 'status' as const, status: idle(scheduler.now()) })));
}

/** The signals of a watch of an endpoint. Each subscription is a separate watch. */
export function endpointSignals<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<WatchSignal<Answer>> {
  const { poll, settings } = endpointWatch(context, endpoint, input, config);
  const signal$ = context.life.whileOpen(defer(() => continuingWatch(poll, settings)()));
  return unlessRendering(context, signal$);
}

/** The answers of such a watch. */
export function endpointAnswers<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<Answer> {
  const { poll, settings } = endpointWatch(context, endpoint, input, config);
  const signals$ = unlessRendering(
    context,
    defer(() => continuingWatch(poll, settings)()),
  );
  return context.life.forwardedWhileOpen<WatchSignal<Answer>, Answer>(signals$, (signal, subscriber) => {
    if (signal.kind === 'answer') subscriber.next(signal.answer);
  });
}
