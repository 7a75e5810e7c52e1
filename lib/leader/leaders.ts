import type { OnApplicationBootstrap, OnModuleInit, Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { mistake } from '../engine/codes.js';
import type { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { membersOf } from '../with-lock/check/plan-check.js';
import { type LeaderPlan, leaderPlanOf } from './leader.decorator.js';
import type { LeaderWork } from './term.js';

/** A method with `@Leader`. */
interface LeaderMethod {
  readonly plan: LeaderPlan;
  readonly call: LeaderWork;
}

/** A test double of the service need not have `lead`. */
type Leading = Partial<Pick<RedlockService, 'lead'>> | null | undefined;

/** Provides the campaigns of all methods with `@Leader` on a pool: they begin once the application has started. */
export function leadersFor(pool: string | undefined, applies?: (modules: ModulesContainer) => boolean): Provider {
  return {
    provide: Symbol.for(`nestjs-redlock:${applies ? 'testing-' : ''}leaders:${pool ?? ''}`),
    useFactory: (modules: ModulesContainer, service: Leading) => {
      let methods: readonly LeaderMethod[] = [];
      return {
        onModuleInit: () => void (methods = applies?.(modules) === false ? [] : leaderMethods(modules, pool)),
        onApplicationBootstrap: () => {
          for (const { plan, call } of methods) {
            const { role, pool: _pool, ...options } = plan;
            service?.lead?.(role, call, options);
          }
        },
      } satisfies OnModuleInit & OnApplicationBootstrap;
    },
    inject: [ModulesContainer, getRedlockToken(pool)],
  };
}

/** @throws TypeError for a method that cannot lead, and for two methods with one role */
function leaderMethods(modules: ModulesContainer, pool: string | undefined): LeaderMethod[] {
  const methods = new Map<string, LeaderMethod>();
  const seen = new Set<unknown>();
  for (const { wrapper, isController } of wrappersOf(modules)) {
    const instance = wrapper.instance as Partial<Record<string | symbol, LeaderWork>> | null | undefined;
    if (typeof instance !== 'object' || instance === null || seen.has(instance)) continue;
    seen.add(instance);
    for (const [name, plan] of plansOf(instance, pool)) {
      const where = `@Leader on ${instance.constructor.name}.${String(name)}`;
      if (isController) throw refusal(where, 'a method of a controller is called by requests; move it to a provider');
      if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient)
        throw refusal(where, 'the provider has another instance for each request or use; only a singleton can lead');
      if (methods.has(plan.role)) throw refusal(where, `another method has the role "${plan.role}" already`);
      methods.set(plan.role, { plan, call: (term) => instance[name]!(term) });
    }
  }
  return [...methods.values()];
}

function plansOf(instance: object, pool: string | undefined): [string | symbol, LeaderPlan][] {
  return [...membersOf(instance.constructor)].flatMap(([name, method]) => {
    const plan = typeof method === 'function' ? leaderPlanOf(method) : undefined;
    return plan?.pool === pool && plan !== undefined ? [[name, plan] as [string | symbol, LeaderPlan]] : [];
  });
}

function wrappersOf(modules: ModulesContainer) {
  return [...modules.values()].flatMap(({ controllers, providers }) => [
    ...[...controllers.values()].map((wrapper) => ({ wrapper, isController: true })),
    ...[...providers.values()].map((wrapper) => ({ wrapper, isController: false })),
  ]);
}

function refusal(where: string, why: string): Error {
  return mistake('REDLOCK_E08', `${where}: ${why}`);
}
