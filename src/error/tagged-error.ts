import { tryOr } from './callback/index.js';

/** The common parts of this library's errors. */
export abstract class TaggedError extends Error {
  abstract readonly _tag: string;
  /**
   * Set if the request may have been carried out, and must not be repeated (see
   * `players.connected`).
   */
  declare readonly isRepeatable?: false;

  /**
   * The whole error: its fields, its message, and the codes and messages of its causes.
   * `JSON.stringify` would leave out the last two.
   */
  toJSON(): object {
    const { message, cause } = this;
    return {
      ...Object.fromEntries(Object.entries(this)),
      message,
      cause: causeJson(cause, 1),
    };
  }
}

/** How many causes of an error are followed, since they may be cyclic. */
export const MAX_CAUSES = 5;

/**
 * The cause of an error. If Node has tried several addresses, it is the first of its errors, which
 * says as much as all of them.
 */
export function causeOf(error: object): unknown {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  return cause ?? (Array.isArray(errors) ? (errors as unknown[])[0] : undefined);
}

function causeJson(error: unknown, depth: number): unknown {
  if (error === undefined) return undefined;
  return tryOr<unknown>(
    () => {
      // The error is not recognized by its class, since it may come from another realm.
      const { name, code, message, cause } = Object(error) as Partial<Record<'code', unknown>> & Error;
      if (typeof message !== 'string' || depth > MAX_CAUSES) return typeof error;
      const known = typeof code === 'string' || typeof code === 'number' ? code : undefined;
      return {
        name,
        code: known,
        message,
        cause: causeJson(cause, depth + 1),
      };
    },
    typeof error,
  );
}

/**
 * Whether this library has made the error. If so, it contains no secrets. Another error may have
 * the same `_tag`.
 */
export function isOwnError(error: unknown): error is TaggedError {
  return tryOr(() => error instanceof TaggedError, false);
}

/**
 * Creates a guard that checks `_tag`. Unlike `instanceof`, it works across realms and copies of
 * this library.
 */
export function hasTag<E extends { readonly _tag: string }>(tag: E['_tag']): (u: unknown) => u is E {
  return (u): u is E => tryOr(() => (u as { readonly _tag?: unknown } | null)?._tag === tag, false);
}

/**
 * The parts of a request that an error may reveal. Headers and body are left out, because both
 * carry tokens.
 */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}
