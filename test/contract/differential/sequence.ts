/** How many processes ask; some of them die. */
export const PROCESSES = 3;

/** One attempt to own resources, as a node gets to know it. */
export interface ClaimPlan {
  readonly process: number;
  readonly resources: readonly string[];
  readonly value: string;
  /** Where it waits: when it came, microseconds, and how long it has what it is given, ms. */
  readonly place: { readonly arrived: number; readonly ttl: number } | undefined;
  /** How many fencing tokens come with a vote for it. */
  readonly tokens: number;
}

/** `keep` extends a claim that is over; `leave to the next` is a release that is followed. */
export type VerbName = 'acquire' | 'yield' | 'extend' | 'keep' | 'raise' | 'release' | 'leave to the next';

/** One question to a node. */
export interface Operation {
  readonly verb: VerbName;
  /** Index of its claim. */
  readonly claim: number;
  /** Ms. */
  readonly ttl: number;
  /** Microseconds from when the run began; undefined where no token is asked for. */
  readonly proposal: number | undefined;
}

/** One process asks, in as many batches as there are lists, all of them sent at once. */
export interface AskStep {
  readonly kind: 'ask';
  readonly process: number;
  readonly batches: readonly (readonly Operation[])[];
}

/** A foreign client takes a resource, without a ttl for ever; by a key of another type where the value is `DATA_OF_OTHERS`. */
export interface PlantStep {
  readonly kind: 'plant';
  readonly resource: string;
  readonly value: string;
  readonly ttl: number | undefined;
}

/** A fence counter is what another program, or another time, has made of it: microseconds from when the run began. */
export interface CountStep {
  readonly kind: 'count';
  readonly resource: string;
  readonly fence: number;
}

/** What a node has noted of itself: for how long it has been trusted, of which run, or nothing. */
export type Mark = 'trusted' | 'new' | 'of another run' | 'emptied';

/**
 * Something happens to a node: a claim asks, a key ends as if its time was up, a process dies with its connection, or
 * the node is one that may have forgotten locks, or that is trusted again.
 */
export type Step =
  | AskStep
  | PlantStep
  | CountStep
  | { readonly kind: 'vanish'; readonly resource: string }
  | { readonly kind: 'die'; readonly process: number }
  | { readonly kind: 'mark'; readonly as: Mark };

/** A course of events on a node that knows nothing yet. */
export interface Sequence {
  readonly plans: readonly ClaimPlan[];
  readonly steps: readonly Step[];
  /** Whether nodes that may have forgotten locks are kept out of the vote. */
  readonly restartQuarantine: boolean;
  /** Whether the node answers before it tells what it publishes, as Redis does from 7.2 on. */
  readonly repliesFirst: boolean;
}

export function operationsIn({ steps }: Sequence): number {
  return steps.reduce((sum, step) => sum + (step.kind === 'ask' ? step.batches.flat().length : 1), 0);
}

export function resourcesIn({ plans }: Sequence): string[] {
  return [...new Set(plans.flatMap(({ resources }) => resources))];
}

/** For people: the claims that are asked for, and every question in a line of its own. */
export function describeSequence({ plans, steps }: Sequence): string {
  const asked = new Set(
    steps.flatMap((step) => (step.kind === 'ask' ? step.batches.flat() : [])).map(({ claim }) => claim),
  );
  const claims = [...asked].map((index) => `claim ${index} is ${JSON.stringify(plans[index])}`);
  const questions = (step: AskStep): string[] => [
    `process ${step.process} asks, in ${step.batches.length} batches`,
    ...step.batches.flatMap((batch, index) => batch.map((operation) => `  ${index}: ${JSON.stringify(operation)}`)),
  ];
  return [...claims, ...steps.flatMap((step) => (step.kind === 'ask' ? questions(step) : JSON.stringify(step)))].join(
    '\n',
  );
}
