import type { Consumer, Workshop } from './workshop.js';

export const ANSWER = 'in process: Ada and Grace; over HTTP: Ada and Grace';

/** The checks of agent/agent.js. */
const AGENT = {
  cutBodies: 'a body that is cut fails soon',
  keptSockets: 'a kept socket is reused',
  unsubscribing: 'unsubscribing closes the socket, of an upload too',
  withoutAddRequest: 'without Agent.addRequest: requests work, the watchdog ends a cut body',
};

/** What a release of Node has to do; `node` is the command that starts it. */
const inNode = (version: string, node: string): readonly Consumer[] => [
  { name: 'Node', version, proves: 'import', run: `${node} main.js`, prints: ANSWER },
  { name: 'Node', version, proves: 'require', run: `${node} required.cjs`, prints: 'Ada, one copy' },
  ...Object.entries(AGENT).map(([check, proves]) => ({
    ...{ name: 'Node', version, proves, run: `${node} agent.js ${check}`, prints: 'done' },
  })),
];

export const nodes: readonly Workshop[] = [
  { packages: [], copies: ['program', 'agent'], consumers: inNode(process.versions.node, 'node') },
  ...['22', '24'].map(version => ({
    packages: [],
    copies: ['program', 'agent'],
    consumers: inNode(version, `npx -y -p node@${version} node`),
  })),
];

export const furtherRuntimes: readonly Workshop[] = [];
