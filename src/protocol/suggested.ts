import * as t from 'io-ts';

/**
 * A text of which some values are known: an editor suggests them, and no other value is refused, since the interface
 * document does not show what is allowed.
 */
export function suggested<Known extends string>(): t.Type<Known | (string & {})> {
  return t.string;
}
