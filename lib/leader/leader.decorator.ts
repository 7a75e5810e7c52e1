import 'reflect-metadata';
import { Inject } from '@nestjs/common';
import { mistake } from '../engine/codes.js';
import { getRedlockToken } from '../redlock.tokens.js';
import type { LeadOptions } from './candidate.js';
import type { LeaderWork } from './term.js';

/** The options of `@Leader`. */
export interface LeaderOptions extends Omit<LeadOptions, 'signal'> {
  /** The name of the pool. @default the pool without a name */
  pool?: string;
}

/** What `@Leader` says about one method. */
export interface LeaderPlan extends LeaderOptions {
  readonly role: string;
}

type LeaderDecorator = (
  target: object,
  name: string | symbol,
  descriptor: { readonly value?: LeaderWork } | undefined,
) => void;

const PLAN = Symbol.for('nestjs-redlock:leader');

/**
 * Runs a method of a provider on one replica at a time. The application campaigns from its start to its shutdown. The method gets the `Term`, and may
 * return a function that stops what it has started.
 * @throws TypeError when the class is defined, on anything but a method
 * @example
 * ```ts
 * @Leader('telegram-bot')
 * async run(term: Term) {
 *   await this.bot.launch();
 *   return () => this.bot.stop();
 * }
 * ```
 */
export function Leader(role: string, options: LeaderOptions = {}): LeaderDecorator {
  return (target, name, descriptor) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    if (
      typeof role !== 'string' ||
      role === '' ||
      typeof target === 'function' ||
      typeof descriptor?.value !== 'function'
    )
      throw mistake(
        'REDLOCK_E08',
        `@Leader on ${owner.name}.${String(name)}: write @Leader('...') with a name, above a method of a provider`,
      );
    // Nest shows this name if the module is missing, or has no such pool.
    const needs = `@Leader needs RedlockModule.forRoot(${options.pool === undefined ? '' : `{ name: '${options.pool}' }`})`;
    Inject(getRedlockToken(options.pool))(target, Symbol.for(needs));
    Reflect.defineMetadata(PLAN, { ...options, role } satisfies LeaderPlan, descriptor.value);
  };
}

export function leaderPlanOf(method: object): LeaderPlan | undefined {
  return Reflect.getMetadata(PLAN, method) as LeaderPlan | undefined;
}
