/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {string} title
 * @property {string} uses the options, for the page
 * @property {string} app the file in apps/ that knows the package
 * @property {string} install those with the same one share an installation
 * @property {Record<string, string>} packages
 * @property {boolean} [canRefuse] whether it can be told that a handler must not run again after a crash
 * @property {boolean} [isDocumented] with what its documentation offers beyond its first example
 */

const COMMON = { 'reflect-metadata': '0.2.2', rxjs: '7.8.2', 'class-transformer': '0.5.1' };

/** Nest in a version that the peer ranges of the package admit. @param {string} version */
const nest = (version) => ({
  '@nestjs/common': version,
  '@nestjs/core': version,
  '@nestjs/platform-express': version,
});

const NODE_IDEMPOTENCY = {
  app: 'node-idempotency.mjs',
  install: 'node-idempotency',
  packages: {
    ...COMMON,
    ...nest('10.4.22'),
    '@node-idempotency/nestjs': '1.0.4',
    '@node-idempotency/storage-adapter-redis': '1.0.2',
  },
};

/** It asks for pg however replies are stored. */
const NESTARC = {
  app: 'nestarc.mjs',
  install: 'nestarc',
  packages: { ...COMMON, ...nest('11.2.10'), '@nestarc/idempotency': '0.4.0', ioredis: '5.9.3', pg: '8.16.3' },
};

/** @type {readonly Candidate[]} */
export const CANDIDATES = [
  {
    name: 'ours',
    title: 'nestjs-redlock',
    uses: "`principal: '<user.id>'`, all else by default, five nodes; the second crash with `onInterrupted: 'refuse'`",
    app: 'ours.mjs',
    install: 'ours',
    canRefuse: true,
    packages: { ...COMMON, ...nest('12.5.1'), 'nestjs-redlock': 'packed' },
  },
  {
    ...NODE_IDEMPOTENCY,
    name: 'node-idempotency',
    title: '@node-idempotency/nestjs',
    uses: "`storage: { adapter: 'redis' }` and `@Idempotent()` on the handlers, as its usage shows",
  },
  {
    ...NODE_IDEMPOTENCY,
    name: 'node-idempotency-global',
    title: '@node-idempotency/nestjs, global',
    uses: 'the same, and its `NodeIdempotencyInterceptor` registered globally in place of the decorator',
    isDocumented: true,
  },
  {
    ...NESTARC,
    name: 'nestarc',
    title: '@nestarc/idempotency',
    uses: '`RedisStorage`, `ttl: 86400`, `IdempotencyInterceptor` on the controller, as its quick start shows',
  },
  {
    ...NESTARC,
    name: 'nestarc-documented',
    title: '@nestarc/idempotency, global',
    uses: '`IdempotencyInterceptor` for the application, `processingTtl: 60`, `scope` by the user: each is in its README',
    isDocumented: true,
  },
];
