import { type CompiledKey, compileKey } from '../with-lock/key/lock-key.js';
import type { Codec } from './codec.js';
import type { Idempotency } from './idempotency.js';
import { type RedlockIdempotencyOptions, settingsOf } from './idempotency.options.js';
import { type IdempotentPlan, needsPrincipal } from './idempotent-plan.js';
import type { OnceSettings } from './once-run.js';

/** What a method says, together with what its module says. */
export interface PreparedPlan extends IdempotentPlan {
  readonly settings: OnceSettings;
  /** Who is asking, for a key that all users share: another user is another request. Undefined if the key itself says who. */
  readonly who: CompiledKey | undefined;
  /** Undefined for the usual one. */
  readonly codec: Codec | undefined;
  readonly secret: string | undefined;
  /** The address of a page for clients. */
  readonly docs: string | undefined;
}

/** One class may belong to several applications of a process, whose modules say different things. */
const prepared = new WeakMap<Idempotency, WeakMap<IdempotentPlan, PreparedPlan>>();

/** @throws TypeError, RangeError for options that the module and the method cannot have together, naming the method */
export function preparedPlan(idempotency: Idempotency, plan: IdempotentPlan): PreparedPlan {
  const plans = prepared.get(idempotency) ?? new WeakMap<IdempotentPlan, PreparedPlan>();
  prepared.set(idempotency, plans);
  const found = plans.get(plan) ?? prepare(idempotency, plan);
  plans.set(plan, found);
  return found;
}

function prepare({ defaults, secret }: Idempotency, plan: IdempotentPlan): PreparedPlan {
  const { principal: template, docs }: RedlockIdempotencyOptions = defaults;
  const { options } = plan;
  const compiled = template === undefined ? undefined : compileKey(template);
  const usual = needsPrincipal(plan) ? compiled : undefined;
  return {
    ...plan,
    settings: settingsOf(defaults, options, plan.where),
    principal: plan.principal ?? usual,
    who: plan.principal || usual || plan.isPublic ? undefined : compiled,
    codec: options.codec ?? defaults.codec,
    secret,
    docs,
  };
}
