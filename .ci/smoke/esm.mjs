// The built package as an ES module application sees it, in plain Node: Jest resolves names in its own way.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as imported from 'nestjs-redlock';

const required = createRequire(import.meta.url)('nestjs-redlock');

for (const name of ['RedlockModule', 'RedlockService', 'WithLock']) {
  assert.equal(typeof Reflect.get(imported, name), 'function', `${name} is not exported`);
}
// Two copies of a class are two providers to Nest: "can't resolve dependencies".
assert.equal(required.RedlockService, imported.RedlockService, 'import and require give different classes');
