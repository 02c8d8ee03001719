import { checkArgument, plainObject, type Guard } from '../error/index.js';
import type { Checkpoint } from './watch-signal.js';

/**
 * Whether a string that is not empty can be an index. A URL does not take strings of any length.
 */
export type IndexGuard = (text: string) => boolean;

/**
 * The guard of a point to resume from, which a program gives. A watch keeps its own position in
 * `ContinuingWatch.last`. An empty index is valid, since the checkpoint of an answer without an
 * index has one.
 */
export const resumable = (isIndex: IndexGuard = () => true): Guard<string | Checkpoint | null> => {
  const is = (u: unknown) => typeof u === 'string' && (u === '' || isIndex(u));
  return {
    name: 'the index of an answer, or a checkpoint { index, at }; omit it to start from now',
    is: (u): u is string | Checkpoint | null => {
      if (u === null || is(u)) return true;
      if (!plainObject.is(u) || !is(u.index)) return false;
      const { at, handle } = u;
      return (
        (at === undefined || Number.isFinite(at)) && (handle === undefined || typeof handle === 'string')
      );
    },
  };
};

/** Where a watch resumes. Without an index it cannot resume, which counts as a gap. */
export interface ResumePoint {
  readonly index: string | undefined;
  readonly at: number | undefined;
  /** The log that the index belongs to, if that is known. */
  readonly handle?: string | undefined;
}

/** Checks where to resume. Throws an `InputError` if it is neither an index nor a checkpoint. */
export function resumePoint(from: string | Checkpoint, isIndex?: IndexGuard, name = 'from'): ResumePoint {
  checkArgument(name, resumable(isIndex), from);
  const { index, at, handle }: Partial<Checkpoint> = typeof from === 'object' ? from : { index: from };
  return { index: index === '' ? undefined : index, at, handle };
}
