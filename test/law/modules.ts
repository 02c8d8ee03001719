/** Which layer each module is in: a module may import only from modules on lower layers. */
export const LAYER: Readonly<Record<string, number>> = {
  error: 0,
  protocol: 1,
  direct: 1,
  transport: 2,
  stream: 2,
  endpoint: 3,
  player: 3,
  client: 4,
  'index.ts': 4.5,
  'codecs.ts': 4.5,
  'integrations/browser': 5,
  'integrations/services': 5,
  'integrations/views': 5,
  'tools/emulator': 5,
  'integrations/angular': 6,
  'integrations/fleet': 6,
  'integrations/lobby-server': 6,
  'integrations/opentelemetry': 6,
  'tools/marbles': 6,
  'tools/angular-testing': 7,
  'tools/workbench': 7,
  'tools/cli': 8,
};

/** The folders of modules that are not the library. All other modules are the library. */
export const AROUND_LIBRARY: readonly string[] = ['integrations', 'tools'];

/** The module of a file: of `tools/cli/terminal/warn.ts` it is `tools/cli`. */
export function moduleOf(path: string): string {
  const [first, second] = path.split('/');
  return AROUND_LIBRARY.includes(first!) ? `${first}/${second}` : first!;
}

/** Which packages each module may use. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  error: [],
  protocol: ['io-ts', '#fp-ts/Either'],
  direct: ['rxjs'],
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
  player: ['rxjs'],
  'integrations/browser': ['rxjs'],
  'integrations/services': [],
  'integrations/views': ['rxjs'],
  client: ['rxjs'],
  'index.ts': [],
  'codecs.ts': [],
  'tools/emulator': ['rxjs', 'node:http', 'node:net'],
  'integrations/angular': ['rxjs', '@angular/common', '@angular/common/http', '@angular/core'],
  'tools/angular-testing': ['@angular/core'],
  'integrations/fleet': [
    'rxjs',
    '#fp-ts/Either',
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    '@nats-io/kv',
    'node:crypto',
    'node:net',
    'node:os',
  ],
  'integrations/lobby-server': [
    'rxjs',
    'ws',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:http2',
    'node:net',
    'node:path',
    'node:stream',
    'node:util',
  ],
  'tools/marbles': [],
  'integrations/opentelemetry': ['rxjs', '@opentelemetry/api'],
  'tools/workbench': ['rxjs', 'preact', 'preact/hooks', 'node:crypto', 'node:fs'],
  'tools/cli': [
    'rxjs',
    'rxjs/fetch',
    '@nats-io/transport-node',
    'node:util',
    'node:fs',
    'node:os',
    'node:path',
    'node:crypto',
    'node:readline',
    'node:stream',
    'node:http',
    'node:https',
  ],
};

/** The maximum number of lines in a file. */
export const LONGEST_FILE = 200;

/** The maximum number of files in a folder, besides its index file. */
export const FULLEST_FOLDER = 15;

/** A file of fewer lines than this is a fragment, unless several others import it. */
export const FRAGMENT = 20;
