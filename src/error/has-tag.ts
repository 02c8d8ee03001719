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
