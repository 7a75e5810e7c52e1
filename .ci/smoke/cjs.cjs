// The built package as a CommonJS application sees it, in plain Node.
const assert = require('node:assert/strict');
const required = require('nestjs-redlock');
// What older Nodes and Jest get; the name above leads to the ES modules wherever they can be required.
const commonJs = require('../../dist/cjs/index.js');
assert.deepEqual(loadedFrom('testing'), [], 'the package loads what is for tests only');
assert.deepEqual(loadedFrom('terminus'), [], 'the package loads what needs an optional peer');
assert.deepEqual(loadedFrom('opentelemetry'), [], 'the package loads what needs an optional peer');
assert.deepEqual(loadedFrom('idempotency'), [], 'the package loads what only some applications need');
assert.deepEqual(optionalPeersLoaded(), [], 'the package loads an optional peer');
const idempotency = require('nestjs-redlock/idempotency');
const commonJsIdempotency = require('../../dist/cjs/idempotency/index.js');
const testing = require('nestjs-redlock/testing');
const commonJsTesting = require('../../dist/cjs/testing/index.js');
const opentelemetry = require('nestjs-redlock/opentelemetry');
const commonJsOpentelemetry = require('../../dist/cjs/opentelemetry/index.js');
const terminus = require('nestjs-redlock/terminus');
const commonJsTerminus = require('../../dist/cjs/terminus/index.js');

for (const name of ['RedlockModule', 'RedlockService', 'WithLock']) {
  assert.equal(typeof required[name], 'function', `${name} is not exported`);
}
assert.deepEqual(namesOf(commonJs), namesOf(required), 'the two formats export different names');
assert.deepEqual(namesOf(commonJsIdempotency), namesOf(idempotency), 'the two formats of idempotency differ');
assert.deepEqual(namesOf(commonJsTesting), namesOf(testing), 'the two formats of testing export different names');
assert.deepEqual(namesOf(commonJsOpentelemetry), namesOf(opentelemetry), 'the two formats of opentelemetry differ');
assert.deepEqual(namesOf(commonJsTerminus), namesOf(terminus), 'the two formats of terminus export different names');
for (const { RedlockHealthIndicator } of [terminus, commonJsTerminus]) {
  const [health] = Reflect.getMetadata('design:paramtypes', RedlockHealthIndicator);
  assert.equal(health, require('@nestjs/terminus').HealthIndicatorService, 'Nest cannot make the health indicator');
}
for (const [entry, { RedlockService }] of [
  [testing, required],
  [commonJsTesting, commonJs],
]) {
  const { exports } = entry.RedlockTestingModule.forRoot();
  assert.ok(exports.includes(RedlockService), 'the two entry points have different classes');
}
assert.notEqual(commonJs.RedlockService, required.RedlockService, 'dist/cjs is not CommonJS');

void import('nestjs-redlock').then((imported) => {
  assert.equal(imported.RedlockService, required.RedlockService, 'require and import give different classes');
});
void import('nestjs-redlock/idempotency').then(({ Idempotency }) => {
  assert.equal(Idempotency, idempotency.Idempotency, 'require and import give different classes of idempotency');
});

void import('nestjs-redlock/testing').then((imported) => {
  assert.equal(imported.RedlockTesting, testing.RedlockTesting, 'require and import give different testing classes');
});

void import('nestjs-redlock/opentelemetry').then((imported) => {
  const { RedlockTelemetryModule } = opentelemetry;
  assert.equal(imported.RedlockTelemetryModule, RedlockTelemetryModule, 'require and import give different modules');
});

void import('nestjs-redlock/terminus').then((imported) => {
  const { RedlockHealthIndicator } = terminus;
  assert.equal(imported.RedlockHealthIndicator, RedlockHealthIndicator, 'require and import give different indicators');
});

function optionalPeersLoaded() {
  const peers = ['@nestjs/terminus', '@opentelemetry/api'];
  return peers.filter((peer) => Object.keys(require.cache).some((file) => file.includes(`/node_modules/${peer}/`)));
}

function namesOf(exports) {
  return Object.keys(exports).sort();
}

function loadedFrom(...folders) {
  return Object.keys(require.cache).filter((file) => folders.some((folder) => file.includes(`/dist/cjs/${folder}/`)));
}
