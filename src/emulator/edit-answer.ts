import type { EmulatedResponse } from './emulated-response.js';

/** What an answer with an index looks like, as far as faults touch it. */
export interface WatchedAnswer {
  readonly events?: readonly unknown[];
  readonly members?: readonly unknown[];
  readonly watch?: { readonly index: string };
}

/** A response with its answer changed; one that is no answer with an index is let be. */
export function editAnswer(
  response: EmulatedResponse,
  edit: (answer: WatchedAnswer) => object,
): EmulatedResponse {
  if (response.status !== 200) return response;
  const answer = JSON.parse(response.body) as WatchedAnswer;
  return answer.watch ? { ...response, body: JSON.stringify(edit(answer)) } : response;
}
