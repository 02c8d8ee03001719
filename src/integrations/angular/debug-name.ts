/** A global of Angular: false in a build for production. */
declare const ngDevMode: unknown;

/** The options of a signal that Angular DevTools show by a name. In production it has none. */
export function debugName(name: string): { readonly debugName: string } | undefined {
  if (typeof ngDevMode === 'undefined' || ngDevMode) return { debugName: name };
  // Nothing is left of this function then, so that bundlers leave out the names, too.
}
