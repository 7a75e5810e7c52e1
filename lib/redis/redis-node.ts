import type { Claim } from '../core/claim.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  NodeEvent,
  ProbeAnswer,
  ReleaseAnswer,
  Unknown,
} from '../core/lock-node.js';
import { NodeConnection, type Reply } from './connection.js';
import type { NodeAddress } from './node-address.js';
import { OwedReleases } from './owed-releases.js';
import { ACQUIRE, EXTEND, RELEASE, type Script } from './scripts.js';

interface Call {
  readonly script: Script;
  readonly claim: Claim;
  readonly args: readonly (string | number)[];
  /** Whether the call may still be made when the node turns out not to know the script. */
  readonly wanted: () => boolean;
}

/** A Redis or Valkey master as a `LockNode`, over one connection of its own. */
export class RedisNode implements LockNode {
  readonly name: string;
  readonly #connection: NodeConnection;
  readonly #owed = new OwedReleases();

  constructor(
    address: NodeAddress,
    private readonly keyPrefix: string,
  ) {
    this.name = address.name;
    this.#connection = new NodeConnection(address.options, () => this.#payOwed());
  }

  acquire(claim: Claim, ttl: number, answered: (answer: AcquireAnswer) => void): void {
    // Sent again it would come after the release of a withdrawn claim, and leave a lock that nobody knows of.
    const wanted = (): boolean => !claim.withdrawn;
    const call = { script: ACQUIRE, claim, args: [claim.value, ttl], wanted };
    claim.noteSent(
      this,
      this.#call(call, (reply) => answered(asAcquired(reply))),
    );
  }

  extend(claim: Claim, ttl: number, answered: (answer: ExtendAnswer) => void): void {
    const wanted = (): boolean => !claim.withdrawn;
    this.#call({ script: EXTEND, claim, args: [claim.value, ttl], wanted }, (reply) => answered(asExtended(reply)));
  }

  release(claim: Claim, ttl: number, answered: (answer: ReleaseAnswer) => void): void {
    this.#call({ script: RELEASE, claim, args: [claim.value], wanted: () => true }, (reply) => {
      if (!reply.ok && claim.mayBeOn(this)) this.#owed.add(claim, ttl);
      answered(reply.ok ? { kind: reply.value === 0 ? 'gone' : 'released' } : unknown(reply));
    });
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    this.#connection.send('ping', [], (reply) => answered(reply.ok ? { kind: 'up' } : unknown(reply)));
  }

  open(listener: (event: NodeEvent) => void): Promise<void> {
    return this.#connection.open(listener);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #call(call: Call, settle: (reply: Reply) => void): boolean {
    const { script, claim, args } = call;
    const rest = [claim.resources.length, ...claim.resources.map((resource) => this.keyPrefix + resource), ...args];
    return this.#connection.send('evalsha', [script.sha, ...rest], (reply) => {
      if (reply.ok || !reply.reason.startsWith('NOSCRIPT')) return settle(reply);
      if (!call.wanted())
        return settle({ ok: false, reason: 'withdrawn before the node knew the script', sent: false });
      this.#connection.send('eval', [script.lua, ...rest], settle);
    });
  }

  #payOwed(): void {
    for (const [claim, left] of this.#owed.take()) this.release(claim, left, () => undefined);
  }
}

function asAcquired(reply: Reply): AcquireAnswer {
  if (!reply.ok) return unknown(reply);
  const [granted, left, owner] = reply.value as [number, number, string];
  return granted === 1 ? { kind: 'granted' } : { kind: 'held', remaining: left < 0 ? Infinity : left, owner };
}

function asExtended(reply: Reply): ExtendAnswer {
  if (!reply.ok) return unknown(reply);
  if (reply.value === 1) return { kind: 'extended' };
  return { kind: reply.value === 0 ? 'missing' : 'taken' };
}

function unknown(reply: Extract<Reply, { ok: false }>): Unknown {
  return { kind: 'unknown', reason: reply.reason, sent: reply.sent };
}
