import { map, type Observable } from 'rxjs';
import { nonEmptyString, positiveInteger } from '../../../error/index.js';
import type { FaultFields } from './fault-fields.js';
import type { EmulatedRequest, EmulatedResponse, Handler } from '../service/index.js';

/**
 * The request is carried out and the answer arrives, but its content is wrong in one of these ways:
 * - `index_missing`, `index_empty`: it has no index, or an empty one.
 * - `index_absurd`: its index is much longer than any URL may be.
 * - `index_backwards`: its index is older than it should be.
 * - `index_skewed`: its index comes from another machine, whose clock is off.
 * - `last_event_only`: the server has kept only the last of the events since the last poll.
 * - `member_malformed`: a member of a group, by default the first on the page, has a name that is
 *   `null`.
 */
export type EditedAnswer =
  | { readonly kind: 'index_missing' | 'index_empty' | 'index_absurd' | 'last_event_only' }
  | {
      readonly kind: 'member_malformed';
      /** The id of the member. Default: the first member on each page. */
      readonly identity_id?: string;
    }
  | {
      readonly kind: 'index_backwards';
      /** How much older, in ms. Default 10,000. */
      readonly ms?: number;
    }
  | {
      readonly kind: 'index_skewed';
      /** How far the clock is ahead, in ms. Negative if the clock is behind. Default -250. */
      readonly ms?: number;
    };

export const editedAnswerFields: FaultFields<EditedAnswer> = {
  index_missing: {},
  index_empty: {},
  index_absurd: {},
  index_backwards: { ms: positiveInteger },
  index_skewed: { ms: { name: 'a whole number of milliseconds', is: Number.isSafeInteger } },
  last_event_only: {},
  member_malformed: { identity_id: nonEmptyString },
};

/** The fields of an answer that faults change. */
export interface EditableAnswer {
  readonly events?: readonly unknown[];
  readonly members?: readonly { readonly identity: { readonly identity_id: string } }[];
  readonly watch?: { readonly index: string } | undefined;
}

export function editedAnswer(
  fault: EditedAnswer,
  request: EmulatedRequest,
  handle: Handler,
): Observable<EmulatedResponse> {
  return handle(request).pipe(map(response => editAnswer(response, answer => edit(fault, answer))));
}

/** Changes the answer in a response, if it has an index. */
export function editAnswer(
  response: EmulatedResponse,
  change: (answer: EditableAnswer) => EditableAnswer,
): EmulatedResponse {
  if (response.status !== 200) return response;
  const answer = JSON.parse(response.body) as EditableAnswer;
  return answer.watch ? { ...response, body: JSON.stringify(change(answer)) } : response;
}

function edit(fault: EditedAnswer, answer: EditableAnswer): EditableAnswer {
  const index = answer.watch?.index ?? '';
  const withIndex = (index: string) => ({ ...answer, watch: { index } });
  switch (fault.kind) {
    case 'index_missing':
      return { ...answer, watch: undefined };
    case 'index_empty':
      return withIndex('');
    case 'index_absurd':
      return withIndex('9'.repeat(100_000));
    case 'index_backwards':
      return withIndex(String(Number(index) - (fault.ms ?? 10_000)));
    case 'index_skewed':
      return withIndex(String(Number(index) + (fault.ms ?? -250)));
    case 'last_event_only':
      return { ...answer, ...(answer.events && { events: answer.events.slice(-1) }) };
    case 'member_malformed': {
      const { members = [] } = answer;
      const { identity_id = members[0]?.identity.identity_id } = fault;
      const change = ({ identity }: (typeof members)[number]) =>
        identity.identity_id === identity_id
          ? { identity: { ...identity, display_name: null } }
          : { identity };
      return { ...answer, ...(answer.members && { members: members.map(change) }) };
    }
  }
}
