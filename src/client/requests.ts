import { defer, type Observable } from 'rxjs';
import { request as send, type Endpoint } from '../endpoint/index.js';
import {
  aBoolean,
  checkArgument,
  checkOptions,
  given,
  positiveInteger,
  type Options,
} from '../error/index.js';
import {
  continuedSignals,
  pages,
  watchSettings,
  watchSignals,
  type PagesConfig,
  type Poll,
  type WatchConfig,
  type WatchContinuity,
  type WatchSignal,
} from '../stream/index.js';
import type { TransportRequest } from '../transport/index.js';
import { aContext, type LobbyContext } from './context.js';

/** The options of {@link request}. */
export interface RequestConfig {
  /** The request has to be completed although the page that sends it goes away. Default false. */
  readonly keepalive?: boolean;
  /** The maximum size of the answer's body, in bytes. Default: that of the transport. */
  readonly maxBody?: number;
}

const REQUEST_OPTIONS: Options<RequestConfig> = { keepalive: aBoolean, maxBody: positiveInteger };

/**
 * Sends one request to an endpoint. Cold: emits one answer and completes. Unsubscribing aborts. See `endpoint`.
 *
 * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`. Throws an `InputError` if the
 * context or the config is invalid.
 *
 * @example
 * request(context, getMembers, { group_id }).subscribe(({ members }) => show(members));
 */
export function request<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: NoInfer<Input>,
  config?: RequestConfig,
): Observable<Answer> {
  checkArgument('context', aContext, context);
  checkOptions(config, REQUEST_OPTIONS);
  const { watch_index } = Object(input) as { watch_index?: unknown };
  const options = given(config ?? {});
  if (watch_index == null) return send(context.plain, endpoint, input, options);
  return send(context.blocking, endpoint, input, { ...options, kind: 'poll' });
}

/** Everything that happens in a watch of an endpoint. */
export function endpointSignals<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<WatchSignal<Answer>> {
  return watchSignals(pollOf(context, endpoint, input), withDefaults(context, config));
}

/** A continuity whose memory sees the text of each answer. */
export type AnswerContinuity<Answer> = WatchContinuity<Answer> & {
  readonly memory: { arrived(answer: Answer, text: string): void };
};

/** Like {@link endpointSignals}. Each subscription continues what `continuity` returns, whose memory sees each answer as it came. */
export function continuedEndpointSignals<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config: WatchConfig<Answer>,
  continuity: () => AnswerContinuity<Answer>,
): Observable<WatchSignal<Answer>> {
  // Checked now, not at the first subscription.
  const settings = watchSettings(withDefaults(context, config));
  return defer(() => {
    const continued = continuity();
    const onAnswer = (answer: Answer, text: string) => continued.memory.arrived(answer, text);
    return continuedSignals(pollOf(context, endpoint, input, onAnswer), settings, continued);
  });
}

/** The pages of an endpoint; of the kind `poll` if they are read for a watch. */
export function endpointPages<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  config?: PagesConfig<Answer>,
  kind?: TransportRequest['kind'],
): Observable<Answer> {
  const page = (anchor: string | undefined) => ({ ...input, anchor }) as Input;
  return pages(
    anchor =>
      kind ? send(context.plain, endpoint, page(anchor), { kind }) : request(context, endpoint, page(anchor)),
    config,
  );
}

function withDefaults<Answer>(context: LobbyContext, config?: WatchConfig<Answer>): WatchConfig<Answer> {
  return { ...(context.watch as WatchConfig<Answer>), ...given(config) };
}

function pollOf<Input, Answer>(
  { polling }: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  onAnswer?: (answer: Answer, text: string) => void,
): Poll<Answer> {
  return (watch_index, poll) =>
    send(polling, endpoint, { ...input, watch_index } as Input, { ...poll, kind: 'poll', onAnswer });
}
