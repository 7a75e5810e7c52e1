import { SingleCall } from '../../core/port/single-call.js';
import { Claim } from '../../core/port/claim.js';
import type { Moment } from '../../core/time/clock.js';
import { FAMILIES } from '../../core/port/key-families.js';
import { proposalAt } from '../../core/port/fencing.js';
import type { ProbeAnswer } from '../../core/port/lock-node.js';
import { fitting, readAnswers, type NodeAnswer } from '../batch/reply-decoder.js';
import type { Encoder } from '../batch/batch-encoder.js';
import { Batch } from '../batch/batch.js';
import { VERB } from '../scripts/protocol.js';
import type { NodeLink } from '../connection/node-link.js';
import type { NodeTrust } from './node-trust.js';
import { advised, refusalIn } from './refusals.js';
import type { Reply } from '../connection/wire/wire-command.js';
import { soon } from '../../core/time/real-time.js';

/** This is never the name of a lock: no resource may end like this. */
const RESOURCE = `~probe${FAMILIES.node}`;
const VALUE = 'probe';
/** Ms that the vote lasts on a node that refuses the release. Usually the call that takes the vote gives it back. */
const TTL = 100;

/** Asks a node for a vote and gives it back in the same script call. Whatever makes a node refuse votes makes it refuse the probe. */
export class Probe {
  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'wire' | 'forget'>,
    private readonly trust: Pick<NodeTrust, 'obstacle' | 'run' | 'heard' | 'countVote'>,
    private readonly link: Pick<NodeLink, 'send' | 'clock'>,
  ) {}

  ask(answered: (answer: ProbeAnswer) => void): void {
    const { obstacle } = this.trust;
    if (obstacle) return soon(() => answered({ kind: 'barred', reason: obstacle }));
    const sent = this.link.clock.now();
    const batch = voteAndRelease(sent, this.encoder.trust.maxTtl);
    this.#send(batch, 'evalsha', (reply) => {
      this.trust.heard(reply, sent);
      answered(this.#answerIn(batch, reply));
    });
  }

  /** Sends a batch as votes are sent: by the script text only where the node does not know the script. */
  #send(batch: Batch, command: 'eval' | 'evalsha', settle: (reply: Reply) => void): void {
    const wire = this.encoder.wire(batch, command, this.trust.run);
    this.encoder.forget();
    this.link.send(command, wire, (reply) => {
      const isUnknown = command === 'evalsha' && !reply.ok && reply.reason.startsWith('NOSCRIPT');
      if (isUnknown) this.#send(batch, 'eval', settle);
      else settle(reply);
    });
  }

  #answerIn(batch: Batch, reply: Reply): ProbeAnswer {
    const answers: NodeAnswer[] = [];
    readAnswers(batch, reply, (_batch, index, answer) => answers.push(fitting(batch.verbs[index]!, answer)));
    const [vote, release] = [this.trust.countVote(answers[0]!), answers[1]!];
    if (vote.kind === 'quarantined') return vote;
    const refusal = refusalIn(vote) ?? refusalIn(release);
    if (refusal !== undefined) return { kind: 'refused', reason: advised(refusal) };
    return vote.kind === 'unknown' ? vote : { kind: 'up' };
  }
}

function voteAndRelease(now: Moment, maxTtl: number): Batch {
  const claim = new Claim([RESOURCE], VALUE);
  const vote = new SingleCall<NodeAnswer>(claim, Math.min(TTL, maxTtl));
  vote.proposal = proposalAt(now);
  const batch = new Batch();
  batch.add(VERB.acquire, vote, 0);
  batch.add(VERB.release, new SingleCall<NodeAnswer>(claim, 0), 0);
  return batch;
}
