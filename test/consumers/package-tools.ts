import { join } from 'node:path';
import type { Workshop } from './workshop.js';

const ROOT = join(import.meta.dirname, '../..');

/** Tools that judge a package, each in a fixed release: a newer one may have other opinions. */
export const packageTools: readonly Workshop[] = [
  {
    packages: ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'],
    consumers: [
      {
        name: 'publint',
        version: '0.3.25',
        proves: 'package.json says what is there',
        run: `publint --strict lobby-rx.tgz`,
      },
      {
        name: 'attw',
        version: '0.18.5',
        proves: 'the types resolve as the code does',
        run: `attw --profile esm-only lobby-rx.tgz`,
      },
    ],
  },
  {
    packages: ['knip@6.44.2', 'typescript@6.0.3', '@types/node@20.19.43'],
    consumers: [
      {
        name: 'knip',
        version: '6.44.2',
        proves: 'no unused export or file, no undeclared dependency',
        run: `knip --directory ${ROOT} --config test/knip.json --no-progress`,
      },
    ],
  },
];
