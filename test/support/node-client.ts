import type {
  AcquireOperation,
  Answer,
  LockNode,
  Operation,
  ReleaseOperation,
  Unknown,
} from '../../lib/engine/lock-node.js';

type Mine<T extends Operation> = Partial<Omit<T, 'kind' | 'resource' | 'value'>>;

/** Asks one node by hand. */
export class NodeClient {
  constructor(readonly node: LockNode) {}

  /** Opens the node; `told` hears the types of its events. */
  open(told: (type: string) => void = () => undefined): Promise<void> {
    return this.node.open({
      event: ({ type }) => told(type),
      identified: () => undefined,
      handedOff: () => undefined,
      dated: () => undefined,
    });
  }

  async ask(operation: Operation): Promise<Answer> {
    const answers = await new Promise<readonly Answer[] | Unknown>((resolve) => this.node.send([operation], resolve));
    return Array.isArray(answers) ? (answers as readonly Answer[])[0]! : (answers as Unknown);
  }

  acquire(resource: string, value: string, more: Mine<AcquireOperation> = {}): Promise<Answer> {
    const usual = { ttl: 60_000, proposal: Date.now() * 1_000, count: 1 };
    return this.ask({ kind: 'acquire', resource, value, ...usual, ...more });
  }

  release(resource: string, value: string, more: Mine<ReleaseOperation> = {}): Promise<Answer> {
    return this.ask({ kind: 'release', resource, value, ttl: 60_000, what: 'stay', ...more });
  }
}
