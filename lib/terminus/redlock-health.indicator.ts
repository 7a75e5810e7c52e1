import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { checkStatusTimeout, type RedlockStatus } from '../engine/status.js';
import type { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { REPORT_AT_SHUTDOWN, reportOf, reportOfFailure, type HealthReport } from './health-report.js';
import { RecentAnswer } from './recent-answer.js';
import type { RedlockHealthOptions } from './redlock-health.options.js';

/** Checks for `@nestjs/terminus` whether enough nodes of a pool vote. It asks the nodes at most once a second, however often it is called. */
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
   * Resolves with 'up' if all nodes vote, 'degraded' if only a quorum of them does, and otherwise, and during the shutdown, with 'down'; never rejects.
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
