export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // Applications with tests of their own, which `npm run consumers` runs.
  modulePathIgnorePatterns: ['<rootDir>/test/consumers/apps'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/consumers/apps'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    // Without this the sample would load the built package: a second copy of every class.
    '^nestjs-redlock$': '<rootDir>/lib/index.ts',
    '^nestjs-redlock/idempotency$': '<rootDir>/lib/idempotency/index.ts',
    '^nestjs-redlock/opentelemetry$': '<rootDir>/lib/opentelemetry/index.ts',
    '^nestjs-redlock/terminus$': '<rootDir>/lib/terminus/index.ts',
    '^nestjs-redlock/testing$': '<rootDir>/lib/testing/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
      },
    ],
  },
  // Real Redis processes run beside the workers, and in ESM mode a worker's heap grows with every file.
  maxWorkers: 2,
  workerIdleMemoryLimit: '512MB',
  testTimeout: 30_000,
  // Only by `npm run test:coverage`: it takes several times the processor time of the tests themselves.
  coverageProvider: 'v8',
  collectCoverageFrom: ['lib/**/*.ts', '!lib/**/index.ts'],
  coverageReporters: ['text', 'json-summary'],
};
