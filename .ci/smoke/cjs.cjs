// The built package as a CommonJS application sees it, in plain Node.
const assert = require('node:assert/strict');
const required = require('nestjs-redlock');
// What older Nodes and Jest get; the name above leads to the ES modules wherever they can be required.
const commonJs = require('../../dist/cjs/index.js');

for (const name of ['RedlockModule', 'RedlockService', 'WithLock']) {
  assert.equal(typeof required[name], 'function', `${name} is not exported`);
}
assert.deepEqual(namesOf(commonJs), namesOf(required), 'the two formats export different names');
assert.notEqual(commonJs.RedlockService, required.RedlockService, 'dist/cjs is not CommonJS');

void import('nestjs-redlock').then((imported) => {
  assert.equal(imported.RedlockService, required.RedlockService, 'require and import give different classes');
});

function namesOf(exports) {
  return Object.keys(exports).sort();
}
