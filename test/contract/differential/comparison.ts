import { isDeepStrictEqual } from 'node:util';
import { TTL_STEP } from './generator.js';
import type { Sequence, Step } from './sequence.js';
import type { Echo, ResourceState } from './side.js';
import { takenBack, wordOf } from './taken-back.js';

type Answer = Echo['answers'][number];

/** Ms: how far what is left may differ, since one node is asked after the other. */
const NEAR = TTL_STEP / 2;
const NOTHING: ReadonlySet<string> = new Set();

/** Two nodes that took the same step of a sequence. */
export interface Pair<T> {
  readonly memory: T;
  readonly redis: T;
}

/** Whether two nodes answered the same and told the same. */
export function isSameEcho(step: Step, sequence: Sequence, { memory, redis }: Pair<Echo>): boolean {
  const operations = step.kind === 'ask' ? step.batches.flat() : [];
  const refused = new Set<string>();
  const useless = takenBack(step, memory);
  const isSame = operations.every(({ claim }, index) => {
    const answers = [memory.answers[index]!, redis.answers[index]!] as const;
    const { resources, value } = sequence.plans[claim]!;
    if (isOutrun(answers[0])) refused.add(value);
    return (
      isSameAnswer(...answers) ||
      (resources.length > 1 ? isTie(...answers) : refused.has(value) && isUndone(...answers))
    );
  });
  return isSame && isDeepStrictEqual(toldIn(memory, useless), toldIn(redis, sequence.repliesFirst ? NOTHING : useless));
}

function isOutrun(answer: Answer): boolean {
  return answer.kind === 'unknown' && answer.reason.startsWith('its fence counters');
}

/** Redis counts votes at the end, where it can, and takes back then what it cannot count, unless that was given back meanwhile. */
function isUndone({ kind }: Answer, redis: Answer): boolean {
  return (kind === 'gone' && redis.kind === 'released') || (kind === 'missing' && redis.kind === 'extended');
}

/** Of two that stay equally long either may be named. */
function isTie(memory: Answer, redis: Answer): boolean {
  return memory.kind === 'held' && redis.kind === 'held' && isSameAnswer(memory, { ...redis, owner: memory.owner });
}

export function isSameState(memory: readonly ResourceState[], redis: readonly ResourceState[]): boolean {
  return memory.every(({ left, ...rest }, index) => {
    const { left: other, ...others } = redis[index]!;
    return isNear(left, other) && isDeepStrictEqual(rest, others);
  });
}

function isSameAnswer(memory: Answer, redis: Answer): boolean {
  if ((memory.kind === 'held' || memory.kind === 'quarantined') && redis.kind === memory.kind) {
    const { remaining, ...rest } = memory;
    const { remaining: other, ...others } = redis;
    return isNear(remaining, other) && isDeepStrictEqual(rest, others);
  }
  if (memory.kind === 'unknown' && redis.kind === 'unknown') return isSameText(memory.reason, redis.reason);
  return isDeepStrictEqual(memory, redis);
}

/** Numbers in reasons are of the moment. */
function isSameText(memory: string, redis: string): boolean {
  return memory.replaceAll(/\d+/g, '#') === redis.replaceAll(/\d+/g, '#');
}

function isNear(memory: number, redis: number): boolean {
  return memory === redis || Math.abs(memory - redis) < NEAR;
}

/** Connections have no order among each other. */
function toldIn({ told }: Echo, useless: ReadonlySet<string>): unknown {
  const useful = told.filter((one) => !useless.has(wordOf(one)));
  const facts = useful.map(({ after: _after, ...fact }) => fact);
  return facts.sort((one, other) => one.process - other.process);
}
