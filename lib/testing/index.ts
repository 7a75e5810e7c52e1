export { redlockMatchers } from './matchers.js';
export type { RedlockMatchers } from './matchers.js';
export { RedlockTesting } from './redlock-testing.js';
export { RedlockTestingModule } from './redlock-testing.module.js';
export type { RedlockTestingOptions } from './redlock-testing.options.js';
export type { HeldElsewhere, HoldOptions, RedlockTestingPool } from './redlock-testing.pool.js';
export { replyStoreContract } from './reply-store-contract.js';
export type { ReplyStoreCheck } from './reply-store-contract.js';
export type { RestartOptions, TestingNode } from './nodes/faulty-node.js';
