import { Command } from 'ioredis';
import { SingleCall } from '../../core/port/single-call.js';
import { Claim } from '../../core/port/claim.js';
import { SystemClock } from '../../core/time/system-clock.js';
import { Batch, type Verb } from './batch.js';
import { PendingReplies } from '../connection/pending-replies.js';
import { WireCommand } from '../connection/wire-command.js';

/** Of all kinds: V8 tells small numbers, great ones (with the clock of the node in it) and others from each other. */
const ANSWERS = ['text', 1, 2 ** 50];

/**
 * One of each object that goes to a node, in every usual state, kept for the same reason as the specimens of locks: V8 throws away
 * code that was compiled for objects of which none is left at a full garbage collection.
 */
export class WireSpecimens {
  /** Read by nobody: it is enough that they are there. */
  readonly #kept: unknown[] = [];
  readonly #unanswered = new PendingReplies(ignore);
  readonly #now = new SystemClock().now();

  constructor() {
    for (const batch of [batchOf(), batchOf('A'), batchOf('A', 'R', 'R')]) {
      batch.sent = this.#now;
      this.#kept.push(batch);
    }
    this.#kept.push(batchOf('A'));
    // The functions of ioredis that they share with ours have met its own commands too, when it connected.
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

/** As ioredis leaves it. */
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
  // Nobody waits for specimens.
}
