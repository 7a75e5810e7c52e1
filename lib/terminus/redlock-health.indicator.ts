import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { checkStatusTimeout, type NodeStatus, type RedlockStatus } from '../engine/status.js';
import type { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { performance } from 'node:perf_hooks';

/** The options of `RedlockHealthIndicator.check()`. */
export interface RedlockHealthOptions {
  /** The name of the pool. @default the pool without a name */
  pool?: string;
  /**
   * The state to report while too few nodes vote. 'degraded' keeps the health check at HTTP 200, for applications that need locks on few routes.
   * @default 'down'
   */
  whenDown?: 'down' | 'degraded';
  /** True names the nodes and their reasons in the answer. Set false if the health endpoint is public. @default true */
  details?: boolean;
  /** Ms that a node may take to answer. @default the `nodeTimeout` of the pool */
  timeout?: number;
}

/**
 * Checks for `@nestjs/terminus` whether enough nodes of a pool vote. The indicator asks the nodes at most once a second. Nest injects it.
 * @hideconstructor
 */
@Injectable()
export class RedlockHealthIndicator {
  readonly #health: HealthIndicatorService;
  readonly #moduleRef: ModuleRef;
  /** By pool, so that several checks of one pool share its answers. */
  readonly #answers = new WeakMap<RedlockService, RecentAnswer<RedlockStatus>>();

  constructor(health: HealthIndicatorService, moduleRef: ModuleRef) {
    this.#health = health;
    this.#moduleRef = moduleRef;
  }

  /**
   * Resolves with 'up' if all nodes vote, with 'degraded' if a quorum votes, and with 'down' otherwise and during shutdown. The promise always
   * resolves.
   * @example
   * ```ts
   * this.health.check([() => this.redlock.check('locks')])
   * ```
   */
  async check<const Key extends string = 'redlock'>(
    key = 'redlock' as Key,
    options: RedlockHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const session = this.#health.check(key);
    const { state, data } = await this.#report(options);
    if (state === 'up') return session.up(data);
    if (state === 'down') return session.down(data);
    return knowsDegraded(session) ? session.degraded(data) : session.up({ ...data, impaired: true });
  }

  async #report(options: RedlockHealthOptions): Promise<HealthReport> {
    try {
      const service = this.#moduleRef.get<RedlockService>(getRedlockToken(options.pool), { strict: false });
      const status = await this.#status(service, options);
      // Read after the answer, because a kept answer may be older than the shutdown.
      return service.isShuttingDown ? REPORT_AT_SHUTDOWN : reportOf(status, options);
    } catch (error) {
      return reportOfFailure(error, options);
    }
  }

  /** @throws TypeError, RangeError for a timeout that no timer can keep */
  #status(service: RedlockService, { timeout }: RedlockHealthOptions): Promise<RedlockStatus> {
    // A wrong timeout is an error of one check, so that it must not become the recent answer to all of them.
    if (timeout !== undefined) checkStatusTimeout(timeout);
    const recent = this.#answers.get(service) ?? new RecentAnswer();
    this.#answers.set(service, recent);
    return recent.from(() => service.status({ timeout }));
  }
}

type Session = ReturnType<HealthIndicatorService['check']>;

/** Terminus 11 knows only 'up' and 'down'. */
function knowsDegraded(session: Partial<Pick<Session, 'degraded'>>): boolean {
  return typeof session.degraded === 'function';
}

/** Taken when this file loads, because a test may replace it. */
const monotonicNow = performance.now.bind(performance);

/** Ms for which an answer stands in for further ones. */
const RECENT = 1_000;

/** Shares one answer between all who ask while it is on its way, or within a second after the question. */
export class RecentAnswer<T> {
  #answer: Promise<T> | undefined;
  #askedAt = 0;
  #isPending = false;

  /** @param now returns the ms on a clock that never goes back */
  constructor(private readonly now: () => number = monotonicNow) {}

  /** Returns the recent answer, also if it was an error; asks only if there is none. */
  from(ask: () => Promise<T>): Promise<T> {
    const now = this.now();
    if (this.#answer === undefined || (!this.#isPending && now - this.#askedAt >= RECENT)) {
      this.#askedAt = now;
      this.#answer = this.#ask(ask);
    }
    return this.#answer;
  }

  async #ask(ask: () => Promise<T>): Promise<T> {
    this.#isPending = true;
    try {
      return await ask();
    } finally {
      this.#isPending = false;
    }
  }
}

/** What a health check says of a pool; the keys of `data` are none that terminus reserves. */
export interface HealthReport {
  readonly state: 'up' | 'degraded' | 'down';
  readonly data: Record<string, unknown>;
}

type ReportOptions = Pick<RedlockHealthOptions, 'whenDown' | 'details'>;

/** Returns the state of a pool: up if all nodes vote, degraded if a quorum of them does, and otherwise down. */
export function reportOf(status: RedlockStatus, { whenDown = 'down', details = true }: ReportOptions): HealthReport {
  const { nodes, quorum, disabled } = status;
  const votes = nodes.filter((node) => node.votes).length;
  const data = {
    quorum,
    votes,
    margin: votes - quorum,
    ...(disabled && { disabled }),
    ...(details && { nodes: Object.fromEntries(nodes.map((node) => [node.node, shownOf(node)])) }),
  };
  // Locks of a disabled pool need no node.
  if (disabled || votes === nodes.length) return { state: 'up', data };
  return { state: votes >= quorum ? 'degraded' : whenDown, data };
}

/** The state from the start of the shutdown on: a load balancer sends no more requests, whatever the nodes say. */
export const REPORT_AT_SHUTDOWN: HealthReport = {
  state: 'down',
  data: { message: 'the application is shutting down' },
};

/** Returns what is said of a check that failed, for example because there is no such pool. */
export function reportOfFailure(error: unknown, { details = true }: ReportOptions): HealthReport {
  const message = details && error instanceof Error ? error.message : 'the state of the nodes is not known';
  return { state: 'down', data: { message } };
}

function shownOf({ votes, latency, votesIn, reason }: NodeStatus): Partial<NodeStatus> {
  return {
    votes,
    ...(latency !== undefined && { latency }),
    ...(votesIn !== undefined && { votesIn }),
    ...(reason !== undefined && { reason }),
  };
}
