/** What the errors of this library have in common. */
export abstract class TaggedError extends Error {
  abstract readonly _tag: string;

  /** All of it: its fields, its message, and the codes and messages of its causes. `JSON.stringify` would leave out the last two. */
  toJSON(): object {
    const { message, cause } = this;
    return {
      ...Object.fromEntries(Object.entries(this)),
      message,
      ...(cause !== undefined && { cause: causeJson(cause, 1) }),
    };
  }
}

/** Causes may be cyclic. */
const MAX_DEPTH = 5;

function causeJson(error: unknown, depth: number): unknown {
  try {
    // Not by its class: it may come from another realm.
    const { name, code, message, cause } = Object(error) as Partial<Record<'code', unknown>> & Error;
    if (typeof message !== 'string' || depth > MAX_DEPTH) return typeof error;
    const known = typeof code === 'string' || typeof code === 'number' ? code : undefined;
    return { name, code: known, message, ...(cause !== undefined && { cause: causeJson(cause, depth + 1) }) };
  } catch {
    // Anything can be thrown, even what throws when it is read.
    return typeof error;
  }
}

/** Whether this library has made it, and not only something with its `_tag`: it contains no secrets then. */
export function isOwnError(error: unknown): error is TaggedError {
  try {
    return error instanceof TaggedError;
  } catch {
    return false;
  }
}

/**
 * Creates a guard that checks `_tag`. Unlike `instanceof`, it works across realms and copies of this library. Anything can be
 * thrown, even what throws when it is read.
 */
export function hasTag<E extends { readonly _tag: string }>(tag: E['_tag']): (u: unknown) => u is E {
  return (u): u is E => {
    try {
      return (u as { _tag?: unknown } | null | undefined)?._tag === tag;
    } catch {
      return false;
    }
  };
}

/** What an error may reveal about its request. Headers and body are left out, because both carry tokens. */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}
