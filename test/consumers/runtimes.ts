import type { Consumer, Workshop } from './workshop.js';

export const ANSWER = 'in process: Ada and Grace; over HTTP: Ada and Grace';

/** What a release of Node has to do; `node` is the command that starts it. */
const inNode = (version: string, node: string): readonly Consumer[] => [
  { name: 'Node', version, proves: 'import', run: `${node} main.js`, prints: ANSWER },
  { name: 'Node', version, proves: 'require', run: `${node} required.cjs`, prints: 'Ada, one copy' },
];

export const nodes: readonly Workshop[] = [
  { packages: [], copies: ['program'], consumers: inNode(process.versions.node, 'node') },
  ...['22', '24'].map(version => ({
    packages: [],
    copies: ['program'],
    consumers: inNode(version, `npx -y -p node@${version} node`),
  })),
];

export const furtherRuntimes: readonly Workshop[] = [];
