import type { Redis } from 'ioredis';
import type { NodeEvent } from '../../lib/core/port/lock-node.js';
import { TimersOfTest } from './timers-of-test.js';
import { BatchEncoder } from '../../lib/redis/batch/batch-encoder.js';
import type { Reply } from '../../lib/redis/connection/wire/wire-command.js';
import { NodeTrust } from '../../lib/redis/trust/node-trust.js';
import { wordsOf } from './command-words.js';

/** A vote that a node gives. */
export const GRANTED = { kind: 'granted', fence: 7 } as const;

/** The answer of a node that may not vote for so many ms. */
export function out(remaining: number) {
  return { kind: 'quarantined', remaining } as const;
}

/** What a master says of itself in this run of it. */
export function infoOf(run: string): string {
  return `run_id:${run}\r\nrole:master\r\n`;
}

/** A connection to a node that answers so to INFO and GET. */
export function redisOf(info: string | Error, marker: string | Error | null = null): Redis {
  const reply = (value: unknown) => () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
  return {
    info: reply(info),
    get: reply(marker),
    exists: reply(0),
    call: reply(1),
    sendCommand: reply(1),
  } as unknown as Redis;
}

/** The trust of a process in a node, and what the process told and sent because of it. */
export class NotedTrust {
  readonly clock = new TimersOfTest();
  readonly events: NodeEvent[] = [];
  readonly sent: string[][] = [];
  /** What comes at once of all that is sent; undefined where nothing does. */
  answer: Reply | undefined;
  readonly trust = this.trustOf();

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** Resolves when the address leads to this run of a server, and the process knows that. */
  async leadTo(run: string): Promise<void> {
    void this.trust.examine(redisOf(infoOf(run)));
    await this.trust.examined;
  }

  /** Hears an answer to a vote, that comes with the node's clock being so far ahead of ours. */
  hear(ahead: number, trust = this.trust): void {
    const now = this.clock.now();
    trust.heard({ ok: true, value: 1 + 1_024 * Math.floor(now.wall + ahead) }, now);
  }

  trustOf(restartQuarantine = true): NodeTrust {
    return new NodeTrust(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine }, this.clock), {
      notify: (event) => void this.events.push(event),
      send: (_name, wire, settle) => {
        this.sent.push(...wordsOf(wire));
        if (this.answer) settle(this.answer);
      },
      clock: this.clock,
    });
  }
}
