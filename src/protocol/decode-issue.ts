/**
 * Why a value did not decode. It names places and kinds, never the value itself: a value may be a token.
 *
 * `path` leads to the place, `events[3].kind.identity_update.identity.bio` say; keys that are data themselves (the name
 * of a port) read `*`. `expected` and `got` say in words what should have stood there and what did.
 */
export interface DecodeIssue {
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}
