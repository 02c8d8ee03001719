import type { Server } from 'node:http';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Checkpoint, Client } from 'lobby-rx';

/**
 * The names that the reader of a snippet is assumed to have. A snippet's own names take precedence.
 */
export interface SnippetNames {
  /** With the lobby's token in snippets about players, else with an identity's. */
  readonly client: Client;
  readonly group_id: string;
  readonly identity_id: string;
  readonly player_token: string;
  /** The player's login, in a game client. */
  readonly session: { readonly token: string; readonly renew: () => Promise<string> };
  readonly savedCheckpoint: Checkpoint | undefined;
  readonly save: (checkpoint: Checkpoint, events?: readonly unknown[]) => Promise<void>;
  /** The HTTP server and one player's connection, in a lobby. */
  readonly server: Server;
  readonly socket: { readonly close: (code?: number, reason?: string) => void };
  readonly admit: () => void;
  /** What a game does on a gap, and on a lobby join. */
  readonly reload: () => void;
  readonly connect: (url: string, token: string) => void;
}

/** Those of snippets that no test runs. */
interface UnrunNames {
  readonly nats: Promise<NatsConnection>;
  readonly identityIds: readonly string[];
  readonly tokenOf: (identity_id: string) => Record<'get' | 'renew', () => Promise<string>>;
  /** That of a test runner. */
  readonly expect: (value: unknown) => { readonly toBe: (expected: unknown) => void };
}

export type Names = SnippetNames & UnrunNames;

const NAMES = {
  client: true,
  group_id: true,
  identity_id: true,
  player_token: true,
  session: true,
  savedCheckpoint: true,
  save: true,
  server: true,
  socket: true,
  admit: true,
  reload: true,
  connect: true,
  nats: true,
  identityIds: true,
  tokenOf: true,
  expect: true,
} satisfies Record<keyof Names, true>;

/** The same for the compiler, as globals, in a file next to this one. */
export const DECLARATIONS = Object.keys(NAMES)
  .map(name => `declare const ${name}: import('./names.js').Names['${name}'];`)
  .join('\n');
