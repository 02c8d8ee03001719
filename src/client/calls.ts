import { defer, map, type Observable } from 'rxjs';
import { request, type Endpoint } from '../endpoint/index.js';
import {
  pages,
  watchSettings,
  watchSignals,
  type PagesConfig,
  type WatchConfig,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientSettings } from './client-settings.js';
import { given } from './given.js';

/** The three ways to use an endpoint. Everything that a client does is one of these. */
export interface Calls {
  readonly request: <Input, Answer>(endpoint: Endpoint<Input, Answer>, input: Input) => Observable<Answer>;
  readonly signals: <Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<Answer>,
    memory?: () => AnswerMemory<Answer>,
  ) => Observable<WatchSignal<Answer>>;
  readonly pages: <Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: Omit<Input, 'anchor'>,
    config?: PagesConfig<Answer>,
  ) => Observable<Answer>;
}

/** What one watch remembers of what it has delivered, to recognize it if a service gives it again. */
export interface AnswerMemory<Answer> {
  /** An answer without what has been delivered before; the same answer if nothing has. */
  readonly trim: (answer: Answer) => Answer;
  /** Remembers an answer, once it has been delivered and acknowledged. */
  readonly remember: (answer: Answer) => void;
}

export function createCalls({ plain, blocking, polling, watch }: ClientSettings): Calls {
  const ask: Calls['request'] = (endpoint, input) => {
    const { watch_index } = Object(input) as { watch_index?: unknown };
    return request(watch_index == null ? plain : blocking, endpoint, input);
  };
  return {
    request: ask,
    signals: <Input, Answer>(
      endpoint: Endpoint<Input, Answer>,
      input: Omit<Input, 'watch_index'>,
      config?: WatchConfig<Answer>,
      memory?: () => AnswerMemory<Answer>,
    ) => {
      const options = { ...(watch as WatchConfig<Answer>), ...given(config) };
      const poll = (watch_index: string | undefined) =>
        request(polling, endpoint, { ...input, watch_index } as Input);
      if (!memory) return watchSignals(poll, options);
      // Checked now and not at the first subscription.
      watchSettings(options);
      return defer(() => {
        const { trim, remember } = memory();
        return watchSignals(index => poll(index).pipe(map(trim)), options, remember);
      });
    },
    pages: <Input, Answer>(
      endpoint: Endpoint<Input, Answer>,
      input: Omit<Input, 'anchor'>,
      config?: PagesConfig<Answer>,
    ) => pages(anchor => ask(endpoint, { ...input, anchor } as Input), config),
  };
}
