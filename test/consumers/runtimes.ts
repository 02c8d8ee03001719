import { between, lowest, newest } from '../node-versions.js';
import type { Consumer, Workshop } from './workshop.js';

export const ANSWER = 'in process: Ada and Grace; over HTTP: Ada and Grace';

/** The checks of agent/agent.js. */
const AGENT = {
  cutBodies: 'a body that is cut fails soon',
  keptSockets: 'a kept socket is reused',
  unsubscribing: 'unsubscribing closes the socket, of an upload too',
  withoutAddRequest: 'without Agent.addRequest: requests work, the watchdog ends a cut body',
};

/** The checks of sockets/sockets.js, in another runtime. */
const overSockets = (runtime: string) => ({
  proves: 'gzip; 300 polls leave room; a POST is sent once; what is given up leaves no socket open',
  run: `node in-runtime.js ${runtime}`,
  prints: 'done, 0 of 6 POSTs on a kept socket',
});

/** A service that only the proxy of the environment reaches. */
const behindProxy = { proves: 'the proxy of the environment, GET and POST', prints: 'by the proxy' };

const nodeOf = (version: string) => `npx -y -p node@${version} node`;

/** What a release of Node has to do. */
function inNode(version: string): readonly Consumer[] {
  const node = nodeOf(version);
  return [
    { name: 'Node', version, proves: 'import', run: `${node} main.js`, prints: ANSWER },
    { name: 'Node', version, proves: 'require', run: `${node} required.cjs`, prints: 'Ada, one copy' },
    { name: 'Node', version, ...overSockets(node) },
    ...Object.entries(AGENT).map(([check, proves]) => ({
      name: 'Node',
      version,
      proves,
      run: `${node} agent.js ${check}`,
      prints: 'done',
    })),
    {
      name: 'Node',
      version,
      proves: 'fromHttp keeps sockets, and sees a cut body',
      prints: 'done',
      run: ['cutBodies', 'keptSockets', 'unsubscribing']
        .map(check => `${node} agent.js ${check} http`)
        .join(' && '),
    },
  ];
}

export const nodes: readonly Workshop[] = [
  { packages: [], copies: ['program', 'agent', 'sockets'], consumers: inNode(lowest) },
  ...between.map(version => ({
    packages: [],
    copies: ['program', 'agent', 'sockets'],
    consumers: [
      ...inNode(version),
      {
        name: 'Node',
        version,
        ...behindProxy,
        run: `NODE_USE_ENV_PROXY=1 ${nodeOf(version)} in-proxy.js node`,
      },
    ],
  })),
];

/** What a lobby and the way to it may do to players in a runtime. It takes minutes. */
const asPlayers = (runtime: string) => ({
  proves: 'players come back after each fault, and no slot is left',
  run: `node player-faults.js ${runtime}`,
  prints: 'done',
});

export const BUN = 'node_modules/@oven/bun-linux-x64/bin/bun';
export const DENO = 'node_modules/@deno/linux-x64-glibc/deno run --allow-all --no-remote';
const YARN = 'npx -y @yarnpkg/cli-dist@4.12.0';

export const furtherRuntimes: readonly Workshop[] = [
  {
    packages: ['ws@8.23.0', 'bun@1.4.5', '@oven/bun-linux-x64@1.4.5', '@deno/linux-x64-glibc@2.9.6'],
    copies: ['player'],
    consumers: [
      ...[lowest, '22', newest].map(version => ({
        name: 'Node',
        version,
        ...asPlayers(nodeOf(version)),
      })),
      { name: 'Bun', version: '1.4.5', ...asPlayers(BUN) },
      { name: 'Deno', version: '2.9.6', ...asPlayers(DENO) },
    ],
  },
  {
    packages: [],
    copies: ['program'],
    files: {
      '.yarnrc.yml': 'nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\n',
    },
    install: `${YARN} install`,
    consumers: [
      {
        name: 'Yarn',
        version: '4.12.0',
        proves: "import, with Plug'n'Play",
        run: `${YARN} node main.js`,
        prints: ANSWER,
      },
    ],
  },
  {
    packages: ['bun@1.4.5', '@oven/bun-linux-x64@1.4.5'],
    copies: ['program', 'sockets'],
    consumers: [
      { name: 'Bun', version: '1.4.5', proves: 'import', run: `${BUN} main.js`, prints: ANSWER },
      { name: 'Bun', version: '1.4.5', ...overSockets(BUN) },
      { name: 'Bun', version: '1.4.5', ...behindProxy, run: `node in-proxy.js ${BUN}` },
    ],
  },
  {
    packages: ['@deno/linux-x64-glibc@2.9.6'],
    copies: ['program', 'sockets'],
    consumers: [
      { name: 'Deno', version: '2.9.6', proves: 'import', run: `${DENO} main.js`, prints: ANSWER },
      { name: 'Deno', version: '2.9.6', ...overSockets(DENO) },
      { name: 'Deno', version: '2.9.6', ...behindProxy, run: `node in-proxy.js ${DENO}` },
    ],
  },
  {
    packages: ['miniflare@4.20260730.0', 'esbuild@0.28.2'],
    copies: ['program', 'worker'],
    consumers: ['2022-06-01', '2026-07-01'].map(date => ({
      name: 'Workers',
      version: `workerd, as of ${date}`,
      proves: 'a bundle, with the fetch of Workers',
      run: `node in-worker.js ${date}`,
      prints: 'in a worker: Ada and Grace',
    })),
  },
  {
    packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
    copies: ['program', 'next'],
    consumers: [
      {
        name: 'Next',
        version: '16.4.6',
        proves: "a server's build, by Turbopack",
        run: 'NEXT_TELEMETRY_DISABLED=1 next build && node in-next.js',
        prints: 'in Next: Ada and Grace',
      },
      {
        name: 'Next',
        version: '16.4.6',
        proves: "a server's build, by webpack",
        run: 'NEXT_TELEMETRY_DISABLED=1 next build --webpack && node in-next.js',
        prints: 'in Next: Ada and Grace',
      },
    ],
  },
];
