export {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  RedlockError,
  ResourceLockedError,
} from './engine/errors.js';
export type { LockLossReason, NodeOutcome, RedlockErrorCode } from './engine/errors.js';
export type { LockHolder } from './engine/process-mark.js';
export type { AcquirePath, LockEvent, RefusalCode, ReplyEvent, TermEnd } from './engine/events.js';
export type { Lock } from './engine/lock.js';
export type { LockOptions } from './engine/options.js';
export type {
  AcquireMessage,
  AcquireOutcome,
  CallMessage,
  ExtendMessage,
  HoldMessage,
  LeaderMessage,
  NodeMessage,
  OnceMessage,
  OnceOutcome,
  RequestMessage,
} from './engine/channels.js';
export type { ProcessNote } from './engine/process-mark.js';
export type { NodeStatus, RedlockStatus, StatusOptions } from './engine/status.js';
export type { Candidate, LeadOptions } from './leader/candidate.js';
export type { CurrentLeader } from './leader/current-leader.js';
export { Leader } from './leader/leader.decorator.js';
export type { LeaderOptions } from './leader/leader.decorator.js';
export type { LeaderWork, StopWork, Term } from './leader/term.js';
export type { IoredisClient } from './redis/connection/settings/node-address.js';
export type { NodeCredentials } from './redis/connection/settings/credentials.js';
export type { NodeOptions } from './redis/connection/settings/node-options.js';
export { RedlockModule } from './redlock.module.js';
export type {
  RedlockAsyncOptions,
  RedlockFactoryOptions,
  RedlockModuleExtras,
  RedlockOptionsFactory,
} from './redlock.module.js';
export type { RedlockModuleOptions } from './redlock.options.js';
export { RedlockService } from './redlock.service.js';
export { getRedlockToken, InjectRedlock } from './redlock.tokens.js';
export { CurrentLock } from './with-lock/current-lock.decorator.js';
export type { LockDecorator, TypedWithLock } from './with-lock/lock-decorator.js';
export type { ExceptionFactory } from './with-lock/reply/exceptions.js';
export type { LockKey } from './with-lock/key/lock-key.js';
export type { WithLockOptions } from './with-lock/run/lock-plan.js';
export { RedlockExceptionFilter } from './with-lock/redlock-exception.filter.js';
export { createWithLock, WithLock } from './with-lock/with-lock.decorator.js';
