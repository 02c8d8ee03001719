/** Makes a guard that goes by `_tag`: it holds across realms and copies of this library, where `instanceof` does not. */
export function hasTag<E extends { readonly _tag: string }>(tag: E['_tag']): (u: unknown) => u is E {
  return (u): u is E => (u as { _tag?: unknown } | null | undefined)?._tag === tag;
}
