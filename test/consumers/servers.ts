import { recipe } from './recipe.js';
import type { Workshop } from './workshop.js';

const PAGE = 'docs/recipes.md';
const TSC =
  'tsc --target es2022 --module nodenext --strict --skipLibCheck --experimentalDecorators --types node';

const server = (name: string, packages: readonly string[], text: string): Workshop => {
  const [, version = ''] = packages[0]!.split(/(?<=.)@/);
  return {
    packages: [...packages, 'ws@8.23.0', 'typescript@5.9.3', '@types/node@20.19.43', '@types/ws@8.18.2'],
    copies: ['servers'],
    files: { 'gate.ts': recipe(PAGE, 'function openGate'), 'server.ts': recipe(PAGE, text) },
    consumers: [
      {
        name,
        version,
        proves: 'the gate on its server: admits, refuses, ends',
        run: `${TSC} server.ts && node in-server.js server.js`,
        prints: 'ok, 4401, Welcome., 1001, 0',
      },
    ],
  };
};

export const servers: readonly Workshop[] = [
  server('Express', ['express@5.3.0', '@types/express@5.0.6'], "from 'express'"),
  server('Fastify', ['fastify@5.12.8'], "from 'fastify'"),
  server(
    'NestJS',
    [
      '@nestjs/core@12.5.1',
      '@nestjs/common@12.5.1',
      '@nestjs/platform-express@12.5.1',
      'reflect-metadata@0.2.2',
    ],
    "from '@nestjs/core'",
  ),
  server('Hono', ['hono@4.13.19', '@hono/node-server@2.1.9'], "from 'hono'"),
];
