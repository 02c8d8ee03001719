/** Which floor each room is on: a room may import only from rooms on lower floors. */
export const FLOOR: Readonly<Record<string, number>> = {
  ...{ error: 0, protocol: 1, transport: 2, stream: 2, endpoint: 3, browser: 3, client: 4, emulator: 4 },
  ...{
    'index.ts': 4.5,
    angular: 5,
    fleet: 5,
    'lobby-server': 5,
    marbles: 5,
    opentelemetry: 5,
    workbench: 6,
    cli: 7,
  },
};

/** Which packages each room may use. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  error: [],
  protocol: ['io-ts', '#fp-ts/Either'],
  transport: [
    'rxjs',
    '#fetch',
    'cross-fetch',
    'node:http',
    'node:https',
    'node:net',
    'node:stream',
    'node:zlib',
  ],
  stream: ['rxjs'],
  endpoint: ['rxjs', 'io-ts', '#fp-ts/Either'],
  browser: ['rxjs'],
  client: ['rxjs'],
  'index.ts': [],
  emulator: ['rxjs', 'node:http', 'node:net'],
  angular: ['rxjs', '@angular/common', '@angular/common/http', '@angular/core'],
  fleet: [
    'rxjs',
    '#fp-ts/Either',
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    '@nats-io/kv',
    'node:crypto',
    'node:net',
    'node:os',
  ],
  'lobby-server': ['rxjs', 'ws', 'node:crypto', 'node:http', 'node:net', 'node:stream', 'node:util'],
  marbles: [],
  opentelemetry: ['rxjs', '@opentelemetry/api'],
  workbench: ['rxjs', 'io-ts', 'preact', 'preact/hooks', 'node:crypto', 'node:fs'],
  cli: [
    'rxjs',
    'rxjs/fetch',
    'node:net',
    'node:tls',
    'node:util',
    'node:fs',
    'node:os',
    'node:path',
    'node:crypto',
    'node:readline',
    'node:stream',
  ],
};

/** The maximum number of lines in a file. */
export const LONGEST_FILE = 250;

/** The maximum number of files in a folder, besides its index file. */
export const FULLEST_FOLDER = 15;

/** A file of fewer lines than this is a fragment, unless several others import it. */
export const FRAGMENT = 20;
