'use strict';
const { Inject, Injectable } = require('@nestjs/common');
const { RedlockService, WithLock } = require('nestjs-redlock');

// What a compiler makes of @Injectable() class Ledger { constructor(redlock: RedlockService) {} }
class Ledger {
  constructor(redlock) {
    this.redlock = redlock;
  }

  book(order, work) {
    return this.redlock.withLock(`ledger:${order}`, work);
  }

  entry(order) {
    return Promise.resolve(`entry of ${order}`);
  }
}
Injectable()(Ledger);
Inject(RedlockService)(Ledger, undefined, 0);
const entry = Object.getOwnPropertyDescriptor(Ledger.prototype, 'entry');
WithLock('entry:<0>')(Ledger.prototype, 'entry', entry);
Object.defineProperty(Ledger.prototype, 'entry', entry);

exports.Ledger = Ledger;
exports.LedgersRedlockService = RedlockService;
