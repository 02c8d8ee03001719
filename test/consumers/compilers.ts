import type { Consumer, Workshop } from './workshop.js';

/** The first of them is the least that README promises. */
const RELEASES = ['5.4.5', '5.9.3', '6.0.3', '7.0.2'];
const OPTIONS = '--strict --target es2022 --lib es2022 --types node --skipLibCheck false';
const RESOLUTIONS = {
  nodenext: '--module nodenext',
  node20: '--module node20',
  bundler: '--module esnext --moduleResolution bundler',
};
/** TypeScript has had `--module node20` since 5.9. */
const WITHOUT_NODE20 = '5.4.5';

const aliasOf = (version: string) => `typescript-${version.replaceAll('.', '-')}`;
const tsc = (version: string) => `node node_modules/${aliasOf(version)}/bin/tsc ${OPTIONS}`;
const packages = [
  ...RELEASES.map(version => `${aliasOf(version)}@npm:typescript@${version}`),
  '@types/node@20.19.43',
  'ws@8.23.0',
];

const typeChecks = (version: string): readonly Consumer[] =>
  Object.entries(RESOLUTIONS)
    .filter(([resolution]) => resolution !== 'node20' || version !== WITHOUT_NODE20)
    .map(([resolution, flags]) => ({
      name: 'TypeScript',
      version,
      proves: `type-checks with ${resolution}`,
      run: `${tsc(version)} --noEmit ${flags} user.ts`,
    }));

const declares = (version: string): Consumer => ({
  name: 'pnpm, TypeScript',
  version,
  proves: 'names all inferred types, without io-ts of its own; runs',
  run: `${tsc(version)} --declaration ${RESOLUTIONS.nodenext} --outDir out user.ts && grep -q Rename out/user.d.ts && node out/user.js`,
  prints: 'members: Ada',
});

/** A user in CommonJS, and one of the fleet. */
const others = {
  'require.cts': "import { createClient } from 'lobby-rx'; console.log(typeof createClient);",
  'import.cts': "void import('lobby-rx').then(({ createClient }) => console.log(typeof createClient));",
  'fleet.ts': "import { runFleet } from 'lobby-rx/fleet'; console.log(typeof runFleet);",
};
const emits = (version: string, file: string, how: string): Consumer => ({
  name: 'TypeScript',
  version,
  proves: `${how}, and runs`,
  run: `${tsc(version)} ${RESOLUTIONS.nodenext} ${file} --skipLibCheck --outDir out && node out/${file.replace('ts', 'js')}`,
  prints: 'function',
});

export const compilers: readonly Workshop[] = [
  {
    packages: [
      ...['5.4.5', '5.8.3'].map(version => `${aliasOf(version)}@npm:typescript@${version}`),
      ...['transport-node', 'jetstream', 'kv'].map(name => `@nats-io/${name}@3.4.0`),
      '@types/node@20.19.43',
    ],
    files: others,
    consumers: [
      emits('5.8.3', 'require.cts', 'CommonJS with import'),
      emits('5.4.5', 'import.cts', 'CommonJS with import()'),
      emits('5.4.5', 'fleet.ts', 'the fleet with skipLibCheck'),
    ],
  },
  { packages, copies: ['types'], consumers: RELEASES.flatMap(typeChecks) },
  {
    packages,
    copies: ['types'],
    consumers: RELEASES.map(declares),
    // The strictest layout that pnpm has: nothing is found that was not declared.
    install:
      'npx -y pnpm@10.34.9 install --prefer-offline --ignore-scripts --config.hoist=false --reporter=silent',
  },
];
