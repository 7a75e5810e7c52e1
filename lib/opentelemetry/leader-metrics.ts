import type { Counter, Meter } from '@opentelemetry/api';
import { leaders, type LeaderMessage } from '../engine/channels.js';
import { poolName } from './attributes.js';
import type { Subscriptions } from './subscriptions.js';

/** The metrics of roles: whether this process leads, and how often terms end. */
export class LeaderMetrics {
  readonly #changes: Counter;
  /** By pool and role: whether this process leads. */
  readonly #roles = new Map<string, { readonly pool: string | undefined; readonly name: string; leads: boolean }>();

  constructor(private readonly meter: Meter) {
    const description = 'Terms of this process that have begun';
    this.#changes = meter.createCounter('redlock.leader.terms', { unit: '{term}', description });
  }

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(leaders, (message: LeaderMessage) => this.#note(message));
    const options = { unit: '{leader}', description: '1 while this process leads, 0 while it is a candidate only' };
    const gauge = this.meter.createObservableGauge('redlock.leader', options);
    subscriptions.collect(this.meter, [gauge], (result) => {
      for (const { pool, name, leads } of this.#roles.values())
        result.observe(gauge, leads ? 1 : 0, { 'redlock.pool': poolName(pool), 'redlock.role': name });
    });
  }

  #note({ type, pool, name }: LeaderMessage): void {
    if (type === 'term-failed') return;
    // Also after the end of a campaign: the SDK goes on showing the latest value of a series that is not observed any more.
    this.#roles.set(JSON.stringify([pool, name]), { pool, name, leads: type === 'elected' });
    // A counter that is not there before the first term shows no increase with it.
    this.#changes.add(type === 'elected' ? 1 : 0, { 'redlock.pool': poolName(pool), 'redlock.role': name });
  }
}
