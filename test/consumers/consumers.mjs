import { command } from './work/command.mjs';
import { healthy } from './work/health.mjs';
import { jest } from './work/jest.mjs';
import { measured } from './work/measured.mjs';
import { served } from './work/served.mjs';
import { typed } from './work/typed.mjs';
import { twoVersions } from './work/two-versions.mjs';
import { vitest } from './work/vitest.mjs';

/**
 * @typedef {object} Consumer
 * @property {string} name
 * @property {string} says
 * @property {boolean} isQuick
 * @property {readonly string[]} installs
 * @property {(place: import('./harness/workplace.mjs').Workplace) => Promise<void>} work rejects where it failed
 */

/** With tests on real nodes, and with unit tests by nestjs-redlock/testing. */
const TESTED = ['orders', 'orders-e2e', 'orders-unit'];

/** @type {readonly Consumer[]} */
export const CONSUMERS = [
  types('node10', { module: 'commonjs', type: 'commonjs', installs: ['bare-nest11', 'bare-nest12'] }),
  // A CommonJS project that imports Nest 12 is an error of its own for this resolution.
  types('node16-cjs', { module: 'node16', type: 'commonjs', installs: ['bare-nest11'] }),
  types('node16-esm', { module: 'node16', type: 'module' }),
  types('nodenext-cjs', { module: 'nodenext', type: 'commonjs' }),
  types('nodenext-esm', { module: 'nodenext', type: 'module' }),
  types('bundler', { module: 'esnext', type: 'module' }),
  {
    name: 'nest12-express',
    says: 'Nest 12, ES modules, Express, in plain Node',
    isQuick: true,
    installs: ['nest12'],
    work: served({ install: 'nest12', type: 'module', apps: ['orders'], program: 'express' }),
  },
  {
    name: 'nest12-fastify',
    says: 'Nest 12, ES modules, Fastify, in plain Node',
    isQuick: false,
    installs: ['nest12'],
    work: served({ install: 'nest12', type: 'module', apps: ['orders'], program: 'fastify' }),
  },
  {
    name: 'nest12-cjs',
    says: 'Nest 12 required by a CommonJS application, in plain Node',
    isQuick: false,
    installs: ['nest12'],
    work: served({ install: 'nest12', type: 'commonjs', apps: ['orders'], program: 'express' }),
  },
  {
    name: 'nest12-dual-load',
    says: 'an ES module application with a CommonJS dependency that loads the package too: one class',
    isQuick: true,
    installs: ['nest12'],
    work: served({ install: 'nest12', type: 'module', apps: ['orders', 'dual-load'], program: 'express' }),
  },
  {
    name: 'nest12-jest',
    says: 'Nest 12, Jest in ESM mode, @swc/jest',
    isQuick: false,
    installs: ['nest12'],
    work: jest({ install: 'nest12', type: 'module', apps: [...TESTED, 'settings/jest-esm'] }),
  },
  {
    name: 'nest12-vitest',
    says: "Nest 12, Vitest with Vite's own compiler",
    isQuick: false,
    installs: ['nest12'],
    work: vitest({ install: 'nest12', type: 'module', apps: [...TESTED, 'settings/vitest'] }),
  },
  {
    name: 'nest12-vitest-dual-load',
    says: 'the same with the CommonJS dependency',
    isQuick: false,
    installs: ['nest12'],
    work: vitest({ install: 'nest12', type: 'module', apps: ['orders', 'orders-e2e', 'dual-load', 'settings/vitest'] }),
  },
  {
    name: 'nest11-swc-jest',
    says: 'Nest 11, CommonJS, Jest with @swc/jest',
    isQuick: true,
    installs: ['nest11'],
    work: jest({ install: 'nest11', type: 'commonjs', apps: [...TESTED, 'settings/swc-jest'] }),
  },
  {
    name: 'nest11-ts-jest',
    says: 'Nest 11, CommonJS, Jest with ts-jest, which checks types',
    isQuick: false,
    installs: ['nest11'],
    work: jest({
      install: 'nest11',
      type: 'commonjs',
      apps: [...TESTED, 'settings/ts-jest'],
      // Else ts-jest would leave types unchecked.
      compilerOptions: { isolatedModules: false },
    }),
  },
  {
    name: 'nest11-fastify',
    says: 'Nest 11, CommonJS, Fastify, in plain Node',
    isQuick: false,
    installs: ['nest11'],
    work: served({ install: 'nest11', type: 'commonjs', apps: ['orders'], program: 'fastify' }),
  },
  {
    name: 'nest11-terminus',
    says: 'Nest 11, CommonJS, terminus 11.1, skipLibCheck off: health with nodes killed, frozen and started again',
    isQuick: false,
    installs: ['terminus11'],
    work: healthy({ install: 'terminus11', type: 'commonjs', apps: ['health', 'servers/express'], terminus: 11 }),
  },
  {
    name: 'nest12-terminus',
    says: 'Nest 12, ES modules, terminus 12, the same',
    isQuick: true,
    installs: ['terminus12'],
    work: healthy({ install: 'terminus12', type: 'module', apps: ['health', 'servers/express'], terminus: 12 }),
  },
  {
    name: 'command',
    says: "the operator's command by npx, with the package and its peers only",
    isQuick: true,
    installs: ['bare-nest12'],
    work: command('bare-nest12'),
  },
  {
    name: 'nest11-opentelemetry',
    says: 'Nest 11, CommonJS, OpenTelemetry SDK 2, skipLibCheck off: metrics of locks as a Prometheus server gets them',
    isQuick: false,
    installs: ['opentelemetry-nest11'],
    work: measured({
      install: 'opentelemetry-nest11',
      type: 'commonjs',
      apps: ['orders', 'metrics', 'servers/express'],
    }),
  },
  {
    name: 'nest12-opentelemetry',
    says: 'Nest 12, ES modules, OpenTelemetry SDK 2, the same',
    isQuick: true,
    installs: ['opentelemetry-nest12'],
    work: measured({ install: 'opentelemetry-nest12', type: 'module', apps: ['orders', 'metrics', 'servers/express'] }),
  },
  {
    name: 'own-ioredis-5',
    says: 'Nest 11, CommonJS, with an ioredis 5 of its own, whose options it gives to the module',
    isQuick: false,
    installs: ['nest11'],
    work: twoVersions({ install: 'nest11', type: 'commonjs', apps: ['orders', 'own-ioredis'], program: 'express' }),
  },
  {
    name: 'oldest-express',
    says: 'the lowest versions that the peer ranges admit, CommonJS, Express',
    isQuick: false,
    installs: ['oldest'],
    work: served({ install: 'oldest', type: 'commonjs', apps: ['orders'], program: 'express' }),
  },
];

/**
 * @param {string} name
 * @param {{ module: string, type: 'module' | 'commonjs', installs?: readonly string[] }} resolution
 * @returns {Consumer}
 */
function types(name, { module, type, installs = ['bare-nest12', 'bare-nest11'] }) {
  const [moduleResolution = ''] = name.split('-');
  return {
    name: `types-${name}`,
    says: `moduleResolution ${moduleResolution}, skipLibCheck off, no optional package installed`,
    isQuick: true,
    installs,
    work: typed({ installs, type, compilerOptions: { module, moduleResolution } }),
  };
}
