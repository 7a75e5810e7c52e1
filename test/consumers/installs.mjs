// What is installed, each in a folder of its own: exact versions, since the newest of everything is not what is tested.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Install
 * @property {string} name
 * @property {Record<string, string>} packages beside the tarball
 * @property {readonly string[]} [local] packages from apps/
 * @property {readonly string[]} [absent] what must not come along, not even by way of others
 */

/** @type {{ packages: Record<string, { version: string }> }} */
const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

/** The versions that this project itself is tested with. @param {string[]} names */
function ours(...names) {
  return Object.fromEntries(names.map((name) => [name, lock.packages[`node_modules/${name}`]?.version ?? 'latest']));
}

const COMMON = ours('reflect-metadata', 'rxjs', 'typescript', '@types/node');
const OPENTELEMETRY = ours('@opentelemetry/exporter-prometheus', '@opentelemetry/sdk-metrics');
const OPTIONAL =
  'apollo bullmq config cqrs event-emitter graphql microservices platform-socket.io platform-ws schedule terminus websockets'
    .split(' ')
    .map((name) => `@nestjs/${name}`);
/** Nothing but the peers, and compilers. */
const BARE = {
  packages: { 'typescript-5': 'npm:typescript@5.9.3', 'typescript-7': 'npm:typescript@7.0.2' },
  absent: [
    ...OPTIONAL,
    '@nestjs/platform-express',
    '@nestjs/testing',
    '@opentelemetry/api',
    'graphql',
    'bullmq',
    'ws',
    'socket.io',
    'express',
  ],
};

/** The quick ones first: what needs them runs while the others are installed. @type {readonly Install[]} */
export const INSTALLS = [
  {
    ...BARE,
    name: 'bare-nest11',
    packages: { ...COMMON, ...BARE.packages, '@nestjs/common': '11.2.10', '@nestjs/core': '11.2.10' },
  },
  {
    ...BARE,
    name: 'bare-nest12',
    packages: { ...COMMON, ...BARE.packages, ...ours('@nestjs/common', '@nestjs/core') },
  },
  {
    name: 'nest12',
    packages: {
      ...COMMON,
      ...ours('@nestjs/common', '@nestjs/core', '@nestjs/platform-express', '@nestjs/platform-fastify'),
      ...ours('@nestjs/testing', 'jest', '@swc/core', '@swc/jest'),
      vitest: '4.1.12',
      vite: '8.3.8',
      '@types/jest': '30.0.0',
    },
    local: ['ledger'],
    absent: OPTIONAL,
  },
  {
    // With an ioredis of its own, as many applications have.
    name: 'nest11',
    packages: {
      ...COMMON,
      ...ours('jest', '@swc/core', '@swc/jest'),
      '@nestjs/common': '11.2.10',
      '@nestjs/core': '11.2.10',
      '@nestjs/platform-express': '11.2.10',
      '@nestjs/platform-fastify': '11.2.8',
      '@nestjs/testing': '11.2.6',
      '@types/jest': '30.0.0',
      'ts-jest': '29.4.15',
      typescript: '5.9.3',
      ioredis: '5.9.3',
    },
  },
  {
    name: 'terminus11',
    packages: {
      ...COMMON,
      '@nestjs/common': '11.2.10',
      '@nestjs/core': '11.2.10',
      '@nestjs/platform-express': '11.2.10',
      '@nestjs/terminus': '11.1.1',
      typescript: '5.9.3',
    },
  },
  {
    name: 'terminus12',
    packages: {
      ...COMMON,
      ...ours('@nestjs/common', '@nestjs/core', '@nestjs/platform-express', '@nestjs/terminus'),
    },
  },
  {
    name: 'opentelemetry-nest11',
    packages: {
      ...COMMON,
      ...OPENTELEMETRY,
      '@nestjs/common': '11.2.10',
      '@nestjs/core': '11.2.10',
      '@nestjs/platform-express': '11.2.10',
      '@opentelemetry/api': '1.9.0',
      typescript: '5.9.3',
    },
  },
  {
    name: 'opentelemetry-nest12',
    packages: {
      ...COMMON,
      ...OPENTELEMETRY,
      ...ours('@nestjs/common', '@nestjs/core', '@nestjs/platform-express', '@opentelemetry/api'),
    },
  },
  {
    // The lowest that the peer ranges admit.
    name: 'oldest',
    packages: {
      ...ours('@types/node'),
      '@nestjs/common': '11.0.0',
      '@nestjs/core': '11.0.0',
      '@nestjs/platform-express': '11.0.0',
      'reflect-metadata': '0.1.12',
      rxjs: '7.2.0',
      typescript: '5.9.3',
    },
  },
];
