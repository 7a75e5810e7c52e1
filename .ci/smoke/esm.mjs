// The built package as an ES module application sees it, in plain Node: Jest resolves names in its own way.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as imported from 'nestjs-redlock';
import * as idempotency from 'nestjs-redlock/idempotency';
import * as opentelemetry from 'nestjs-redlock/opentelemetry';
import * as terminus from 'nestjs-redlock/terminus';
import * as testing from 'nestjs-redlock/testing';

const require = createRequire(import.meta.url);
const required = require('nestjs-redlock');

for (const name of ['RedlockModule', 'RedlockService', 'WithLock']) {
  assert.equal(typeof Reflect.get(imported, name), 'function', `${name} is not exported`);
}
// Two copies of a class are two providers to Nest: "can't resolve dependencies".
assert.equal(required.RedlockService, imported.RedlockService, 'import and require give different classes');
assert.equal(require('nestjs-redlock/testing').RedlockTesting, testing.RedlockTesting, 'testing has two classes');
const { Idempotency } = idempotency;
assert.equal(require('nestjs-redlock/idempotency').Idempotency, Idempotency, 'idempotency has two classes');
const { RedlockTelemetryModule } = opentelemetry;
assert.equal(require('nestjs-redlock/opentelemetry').RedlockTelemetryModule, RedlockTelemetryModule, 'two modules');
const { RedlockHealthIndicator } = terminus;
assert.equal(require('nestjs-redlock/terminus').RedlockHealthIndicator, RedlockHealthIndicator, 'two indicators');
const { exports } = testing.RedlockTestingModule.forRoot();
assert.ok(exports?.includes(imported.RedlockService), 'the two entry points have different classes');
