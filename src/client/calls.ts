import { defer, type Observable } from 'rxjs';
import { request, type Endpoint } from '../endpoint/index.js';
import { given } from '../error/index.js';
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
import type { ClientSettings } from './client-settings.js';

/** The ways to use an endpoint. Everything that a client does is built from these. */
export interface Calls {
  readonly request: <Input, Answer>(endpoint: Endpoint<Input, Answer>, input: Input) => Observable<Answer>;
  readonly signals: <Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<Answer>,
  ) => Observable<WatchSignal<Answer>>;
  /** Like `signals`. Each subscription continues what `continuity` returns, whose memory sees each answer as it came. */
  readonly continuedSignals: <Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: Omit<Input, 'watch_index'>,
    config: WatchConfig<Answer>,
    continuity: () => AnswerContinuity<Answer>,
  ) => Observable<WatchSignal<Answer>>;
  readonly pages: <Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: Omit<Input, 'anchor'>,
    config?: PagesConfig<Answer>,
  ) => Observable<Answer>;
}

/** A continuity whose memory sees the text of each answer. */
export type AnswerContinuity<Answer> = WatchContinuity<Answer> & {
  readonly memory: { arrived(answer: Answer, text: string): void };
};

export function createCalls({ plain, blocking, polling, watch }: ClientSettings): Calls {
  const ask: Calls['request'] = (endpoint, input) => {
    const { watch_index } = Object(input) as { watch_index?: unknown };
    return request(watch_index == null ? plain : blocking, endpoint, input);
  };
  const withDefaults = <Answer>(config?: WatchConfig<Answer>): WatchConfig<Answer> => ({
    ...(watch as WatchConfig<Answer>),
    ...given(config),
  });
  const pollOf =
    <Input, Answer>(
      endpoint: Endpoint<Input, Answer>,
      input: Omit<Input, 'watch_index'>,
      onAnswer?: (answer: Answer, text: string) => void,
    ): Poll<Answer> =>
    (watch_index, context) =>
      request(polling, endpoint, { ...input, watch_index } as Input, { ...context, onAnswer });
  return {
    request: ask,
    signals: (endpoint, input, config) => watchSignals(pollOf(endpoint, input), withDefaults(config)),
    continuedSignals: (endpoint, input, config, continuity) => {
      // Checked now, not at the first subscription.
      const settings = watchSettings(withDefaults(config));
      return defer(() => {
        const continued = continuity();
        return continuedSignals(
          pollOf(endpoint, input, (answer, text) => continued.memory.arrived(answer, text)),
          settings,
          continued,
        );
      });
    },
    pages: <Input, Answer>(
      endpoint: Endpoint<Input, Answer>,
      input: Omit<Input, 'anchor'>,
      config?: PagesConfig<Answer>,
    ) => pages(anchor => ask(endpoint, { ...input, anchor } as Input), config),
  };
}
