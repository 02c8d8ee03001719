import { jsonHash } from '../protocol/index.js';

/**
 * A key of answers that is equal if they differ only where their index stands, which may move although nothing is new. `indexOf` does not
 * say where that is: it is the field without which it returns something else.
 */
export function repeatKey<A>(indexOf: (answer: A) => unknown): (answer: A) => number {
  let path: readonly string[] | undefined;
  return answer => {
    const index = indexOf(answer);
    const isRead = (path: readonly string[]) => !Object.is(indexWithout(answer, path, indexOf), index);
    // Not if it depends on the identity of the answer: no field holds it.
    if (!path || !isRead(path)) path = isRead([]) ? undefined : indexPath(answer, isRead);
    return jsonHash(answer, path);
  };
}

/** The path to the field that holds the index. None if it is an element of an array, which may be news. */
function indexPath(answer: unknown, isRead: (path: readonly string[]) => boolean): string[] | undefined {
  const path: string[] = [];
  let part = answer;
  while (typeof part === 'object' && part !== null && !Array.isArray(part)) {
    const key: string | undefined = Object.keys(part).find(each => isRead([...path, each]));
    if (key === undefined) return undefined;
    path.push(key);
    part = (part as Record<string, unknown>)[key];
  }
  return path.length > 0 && !Array.isArray(part) ? path : undefined;
}

/** The index of an answer that lacks a field. */
function indexWithout<A>(answer: A, path: readonly string[], indexOf: (answer: A) => unknown): unknown {
  try {
    return indexOf(without(answer, path) as A);
  } catch {
    return LACKING;
  }
}

const LACKING = {};

/** A copy of a value that lacks a field. */
function without(value: unknown, [key, ...inner]: readonly string[]): unknown {
  if (key === undefined) return Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const { [key]: field, ...others } = value as Record<string, unknown>;
  return inner.length === 0 ? others : { ...others, [key]: without(field, inner) };
}
