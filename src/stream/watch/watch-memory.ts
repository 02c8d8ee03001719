import { jsonHash } from '../json-hash.js';

/** What a watch has delivered, to recognize it if the service sends it again. */
export interface WatchMemory<A> {
  /**
   * What an answer has that is new. It changes nothing. `mayBeReplay`: there is a reason to expect that the service sends again
   * what it has sent before; only then is a part of an answer left out.
   */
  readonly recall: (answer: A, mayBeReplay: boolean) => Recalled<A>;
  /** Remembers an answer with news, when its index takes effect. */
  readonly commit: (answer: A) => void;
  /** Remembers the first `count` parts of an answer: nobody was left to take the rest. */
  readonly commitParts?: (answer: A, count: number) => void;
}

/** An answer, compared with what has been delivered. */
export interface Recalled<A> {
  /** The answer, without what is left out. */
  readonly answer: A;
  /** Whether it is to be delivered. */
  readonly isNews: boolean;
  /** Whether all of it has been delivered before. It may still be news: the same may happen twice. */
  readonly isKnown: boolean;
}

/** Remembers only the last answer with news, by a key, so that a large answer is not kept. An answer with the same key repeats it. */
export function repeatMemory<A>(keyOf: (answer: A) => unknown = keyOfJson): WatchMemory<A> {
  let last: unknown = NOTHING;
  return {
    recall: answer => {
      const isRepeat = keyOf(answer) === last;
      return { answer, isNews: !isRepeat, isKnown: isRepeat };
    },
    commit: answer => {
      last = keyOf(answer);
    },
  };
}

/** Equal to no key. */
const NOTHING = {};

/** The index may change although the data has not. */
function keyOfJson(answer: unknown): number {
  return jsonHash(answer, 'watch');
}
