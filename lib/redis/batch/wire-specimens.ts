import { Command } from 'ioredis';
import { SingleCall } from '../../core/port/single-call.js';
import { Claim } from '../../core/port/claim.js';
import { SystemClock } from '../../core/time/system-clock.js';
import { PendingReplies } from '../connection/pending-replies.js';
import { WireCommand } from '../connection/wire-command.js';
import { VERB, type Verb } from '../scripts/protocol.js';
import { Batch } from './batch.js';

/** Of all kinds: V8 distinguishes small integers, great numbers (those with the clock of the node) and other values. */
const ANSWERS = ['text', 1, 2 ** 50];

/**
 * Keeps at least one object of each kind that goes to a node, in every usual state, for the same reason as `WarmUp` keeps locks: at a full
 * garbage collection V8 discards code that was compiled for a hidden class of which no object is left.
 */
export class WireSpecimens {
  /** Never read: the objects only have to stay alive. */
  readonly #kept: unknown[] = [];
  readonly #unanswered = new PendingReplies(ignore);
  readonly #now = new SystemClock().now();

  constructor() {
    for (const batch of [batchOf(), batchOf(VERB.acquire), batchOf(VERB.acquire, VERB.release, VERB.release)]) {
      batch.sent = this.#now;
      this.#kept.push(batch);
    }
    this.#kept.push(batchOf(VERB.acquire));
    // Commands of ioredis itself, too: when it connected, they went through the same functions as ours.
    for (const make of [() => new Command('specimen'), () => this.#command()]) {
      this.#kept.push(make(), written(make()), ...ANSWERS.map((answer) => answered(written(make()), answer)));
    }
  }

  #command(): WireCommand {
    const keepReply = (reply: unknown): unknown => this.#kept.push(reply);
    return new WireCommand('specimen', '', this.#unanswered.add(this.#now, keepReply));
  }
}

function batchOf(...verbs: Verb[]): Batch {
  const batch = new Batch();
  for (const verb of verbs) batch.add(verb, new SingleCall(new Claim(['specimen'], ''), 0), 0);
  return batch;
}

/** Brings a command into the state in which ioredis leaves it. */
function written(command: Command): Command {
  command.setReplyContext({});
  command.toWritable({});
  command.isTraced = true;
  return command;
}

function answered(command: Command, answer: unknown): Command {
  command.resolve(answer);
  return command;
}

function ignore(): void {
  // Nobody waits for these commands.
}
