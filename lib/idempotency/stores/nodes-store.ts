import type { LockEvent } from '../../engine/events.js';
import { MAX_TTL } from '../../engine/options.js';
import { systemRandom } from '../../engine/random.js';
import { MOST_RECORD_BYTES, type ReplyRegister } from '../../engine/reply-register.js';
import { SystemClock } from '../../engine/system-clock.js';
import { BatchEncoder, channelOf } from '../../redis/codec.js';
import { toAddresses } from '../../redis/connection/settings/node-address.js';
import { RedisNode } from '../../redis/redis-node.js';
import { readModuleOptions, type RedlockModuleOptions } from '../../redlock.options.js';
import { RedlockService } from '../../redlock.service.js';
import { EMIT, REGISTER } from '../../redlock.tokens.js';
import type { RecordInfo, ReplyStore } from '../reply-store.js';

const FORGETFUL =
  'it is to keep replies for more than an hour, and has them in memory only: a restart forgets them. Set appendonly to yes, or keep replies in a database';

/** Keeps records on the nodes of a pool: each on all of them, as a register that a quorum agrees on. */
export class NodesStore implements ReplyStore {
  readonly isOnLockNodes: boolean;
  readonly maxRecordBytes = MOST_RECORD_BYTES;
  /** Takes the events for operators. */
  tell: (event: LockEvent) => void;
  readonly #register: ReplyRegister;

  /** @internal `opened`: opens the pool, and resolves once it is open; undefined if the pool is that of the locks. */
  constructor(
    service: Pick<RedlockService, typeof REGISTER | typeof EMIT>,
    private readonly opened?: () => Promise<void>,
  ) {
    this.isOnLockNodes = opened === undefined;
    this.#register = service[REGISTER];
    this.tell = (event) => service[EMIT](event);
    this.#register.forgetful = (node) => this.tell({ type: 'node-warning', node, reason: FORGETFUL });
    this.#register.thin = (key, copies) =>
      this.tell({ type: 'thin-reply', resources: [key], label: 'reply', reason: `${copies} copies` });
  }

  readonly peek: ReplyStore['peek'] = (key) => this.#use((register) => register.peek(key));

  readonly open: ReplyStore['open'] = (key, attempt, keep) =>
    this.#use((register) => register.open(key, attempt, keep));

  readonly settle: ReplyStore['settle'] = (key, attempt, record, keep) =>
    this.#use((register) => register.settle(key, attempt, record, keep));

  readonly clear: ReplyStore['clear'] = (key, attempt) => this.#use((register) => register.clear(key, attempt));

  readonly forget: ReplyStore['forget'] = (key) => this.#use((register) => register.forget(key));

  describe(key: string): Promise<RecordInfo | undefined> {
    return this.#use(async (register) => {
      const info = await register.describe(key);
      return info && { key, ...info };
    });
  }

  isFull(): boolean {
    return this.#register.isFull;
  }

  /** At once on the nodes of the locks, so that a release of the same turn is in the same call. */
  async #use<T>(ask: (register: ReplyRegister) => Promise<T>): Promise<T> {
    if (this.opened !== undefined) await this.opened();
    return ask(this.#register);
  }
}

/** The options of `nodesStore`. */
export type NodesStoreOptions = Pick<
  RedlockModuleOptions,
  'nodes' | 'keyPrefix' | 'maxTtl' | 'restartQuarantine' | 'nodeTimeout'
>;

/**
 * Keeps replies on nodes of their own, so that replies do not fill the memory of the nodes for locks. The store connects at the first call.
 * @throws TypeError, RangeError for wrong options
 */
export function nodesStore(given: NodesStoreOptions): ReplyStore & { close(): Promise<void> } {
  const options = readModuleOptions(given);
  const { keyPrefix = 'lock:', maxTtl = MAX_TTL, restartQuarantine = true } = options;
  const [clock, channel] = [new SystemClock(), channelOf(keyPrefix, systemRandom.id())];
  const encoder = new BatchEncoder({ keyPrefix, channel, maxTtl, restartQuarantine });
  const nodes = toAddresses(options.nodes).map((address) => new RedisNode(address, encoder, clock));
  const service = new RedlockService(nodes, options, { clock });
  let opening: Promise<void> | undefined;
  const store = new NodesStore(service, () => (opening ??= service.onModuleInit()));
  return Object.assign(store, { close: () => service.onApplicationShutdown() });
}
