import { checkArgument, InputError, nonEmptyString } from '../../../error/index.js';
import type { SeededWorld } from '../demo/index.js';

/** The identities on which commands act: that of the seeded world, and those that joined since. */
export class Guests {
  readonly #self: string;
  /** The ids of the identities that have joined, by name, the oldest first. */
  readonly #ids = new Map<string, string>();
  /** The tokens of all these identities, by id. */
  readonly #tokens: Map<string, string>;

  constructor({ identityId, identityToken }: SeededWorld) {
    this.#self = identityId;
    this.#tokens = new Map([[identityId, identityToken]]);
  }

  get count(): number {
    return this.#ids.size;
  }

  /** The name of the identity that joined last. */
  get last(): string | undefined {
    return [...this.#ids.keys()].at(-1);
  }

  has(name: string): boolean {
    return this.#ids.has(name);
  }

  add(name: string, identity_id: string, token: string): void {
    this.#ids.set(name, identity_id);
    this.setToken(identity_id, token);
  }

  remove(name: string): void {
    this.#ids.delete(name);
  }

  setToken(identity_id: string, token: string): void {
    this.#tokens.set(identity_id, token);
  }

  /** The id of the identity that `who` names. Without `who`, the identity of the seeded world. */
  idOf(who: unknown): string {
    const name = who === undefined ? this.#self : checkArgument('who', nonEmptyString, who);
    return this.#ids.get(name) ?? name;
  }

  tokenOf(who: unknown): readonly [identity_id: string, token: string] {
    const identity_id = this.idOf(who);
    const token = this.#tokens.get(identity_id);
    if (token === undefined) throw new InputError('who', 'someone who has joined here', 'someone else');
    return [identity_id, token];
  }
}
