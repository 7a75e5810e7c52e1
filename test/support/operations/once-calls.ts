import type { RedlockService } from 'nestjs-redlock';
import { memoryStore, type ReplyStore } from 'nestjs-redlock/idempotency';
import { OnceRunner } from '../../../lib/idempotency/run-once.js';

const SETTINGS = { keep: 60_000, maxBytes: 1_000, onBusy: 'wait', onInterrupted: 'rerun', lock: {} } as const;

/** Calls that run once, under labels that are their keys. */
export class OnceCalls {
  readonly #store = memoryStore();

  constructor(private readonly service: RedlockService) {}

  async run(label: string): Promise<void> {
    await this.#run(label, 'first', this.#store);
  }

  /** Asks for something else by the key of a call that has run. */
  async reuse(label: string): Promise<void> {
    await this.#run(label, 'other', this.#store).catch(() => undefined);
  }

  /** Runs while the store is down. */
  async lose(label: string): Promise<void> {
    const store = Object.assign(memoryStore(), { settle: () => Promise.reject(new Error('the store is down')) });
    await this.#run(label, 'first', store);
  }

  async #run(label: string, fingerprint: string, store: ReplyStore): Promise<void> {
    const reply = { kind: 'reply', by: 'value', body: 'done' } as const;
    await new OnceRunner({ service: this.service, store }).run({
      key: label,
      label,
      fingerprint,
      settings: SETTINGS,
      work: () => Promise.resolve({ keep: reply }),
      outcomeOf: () => reply,
    });
  }
}
