import { operationsIn, type Sequence, type Step } from './sequence.js';

type Fails = (sequence: Sequence) => Promise<boolean>;

/** The same with as few steps and operations as still show what `fails` looks for. */
export async function shrink(sequence: Sequence, fails: Fails): Promise<Sequence> {
  const shorter = await shrinkOnce(sequence, fails);
  return operationsIn(shorter) < operationsIn(sequence) ? shrink(shorter, fails) : shorter;
}

async function shrinkOnce(sequence: Sequence, fails: Fails): Promise<Sequence> {
  const withSteps = (steps: readonly Step[]): Sequence => ({ ...sequence, steps });
  const fewer = await without(sequence.steps, (steps) => fails(withSteps(steps)));
  const steps = [...fewer];
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'ask') continue;
    const shortened = (batches: typeof step.batches): Step[] => steps.with(at, { ...step, batches });
    const batches = [...step.batches];
    for (const [index, batch] of batches.entries()) {
      batches[index] = await without(batch, (rest) => fails(withSteps(shortened(batches.with(index, rest)))));
    }
    steps[at] = { ...step, batches: batches.filter((batch) => batch.length > 0) };
  }
  return withSteps(steps);
}

/** Leaves out one after the other what is not needed, the last one first. */
async function without<T>(
  list: readonly T[],
  isEnough: (rest: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let rest = list;
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const fewer = rest.filter((_, at) => at !== index);
    if (await isEnough(fewer)) rest = fewer;
  }
  return rest;
}
