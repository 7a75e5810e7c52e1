import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import type { LockNode } from '../../../lib/engine/lock-node.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { refuseDuplicateServers, DuplicateServers } from '../../../lib/engine/duplicate-servers.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';

const nodesOf = (...runIds: (string | undefined)[]): LockNode[] =>
  runIds.map(
    (runId, index) => ({ name: `node-${index + 1}`, runId, exclude: () => undefined }) as Partial<LockNode> as LockNode,
  );

describe('refuseDuplicateServers', () => {
  it.each([
    ['no node', []],
    ['one node', ['a']],
    ['nodes of their own', ['a', 'b', 'c']],
    ['nodes that did not tell their run id', [undefined, 'a', undefined]],
  ])('takes %s', (_case, runIds) => {
    expect(() => refuseDuplicateServers(nodesOf(...runIds))).not.toThrow();
  });

  it.each([[['a', 'b', 'a']], [['a', 'b', 'c', 'b']], [['a', undefined, 'a']]])(
    'takes %j, because a quorum is left without the later one of the two that are one server',
    (runIds) => {
      expect(() => refuseDuplicateServers(nodesOf(...runIds))).not.toThrow();
    },
  );

  it.each([
    [['a', 'a'], /node-1 and node-2/],
    [['a', 'b', 'a', 'b'], /node-1 and node-3, node-2 and node-4/],
    [['a', 'a', 'a'], /node-1 and node-2, node-1 and node-3/],
  ])('refuses one server behind two addresses, %j, and names both', (runIds, names) => {
    expect(() => refuseDuplicateServers(nodesOf(...runIds))).toThrow(TypeError);
    expect(() => refuseDuplicateServers(nodesOf(...runIds))).toThrow(names);
    expect(() => refuseDuplicateServers(nodesOf(...runIds))).toThrow(
      /one server: it must not vote twice, name each node once/,
    );
  });
});

describe('DuplicateServers', () => {
  interface Moving {
    readonly name: string;
    runId: string | undefined;
    excluded: string | undefined;
  }
  let nodes: Moving[];
  let warned: string[];
  let duplicates: DuplicateServers;
  const same = (name: string): string => `it leads to the same server as ${name}, which must not vote twice`;
  const move = (index: number, runId: string | undefined): void => {
    nodes[index]!.runId = runId;
    duplicates.note(nodes[index] as unknown as LockNode);
  };
  const excluded = (): (string | undefined)[] => nodes.map((node) => node.excluded);
  beforeEach(() => {
    warned = [];
    duplicates = new DuplicateServers(({ name }, reason) => warned.push(`${name}: ${reason}`));
    nodes = ['a', 'b', 'c'].map((name): Moving & Pick<LockNode, 'exclude'> => ({
      name,
      runId: undefined,
      excluded: undefined,
      exclude(reason: string | undefined): void {
        this.excluded = reason;
      },
    }));
    ['1', '2', '3'].forEach((runId, index) => move(index, runId));
  });

  it('bars no node that leads to a server of its own, or that does not say which server it is', () => {
    move(1, undefined);
    move(2, undefined);
    expect([excluded(), warned]).toEqual([[undefined, undefined, undefined], []]);
  });

  it.each([
    [0, 1, 'b'],
    [1, 0, 'a'],
    [2, 0, 'a'],
  ])('bars number %i, which came later to the server of number %i, and says which that is', (late, first, name) => {
    move(late, String(first + 1));
    expect(nodes[late]!.excluded).toBe(same(name));
    expect(nodes[first]!.excluded).toBeUndefined();
    expect(warned).toEqual([`${'abc'[late]}: ${same(name)}`]);
  });

  it('has it vote again once the other leads elsewhere, or does not say where', () => {
    move(1, '1');
    move(0, '4');
    expect(excluded()).toEqual([undefined, undefined, undefined]);
    move(0, '1');
    expect(excluded()).toEqual([same('b'), undefined, undefined]);
    move(1, undefined);
    expect(excluded()).toEqual([undefined, undefined, undefined]);
  });

  it('has one of three vote, and the next when that leads elsewhere', () => {
    move(2, '1');
    move(1, '1');
    expect(excluded()).toEqual([undefined, same('a'), same('a')]);
    move(0, '4');
    expect(excluded()).toEqual([undefined, same('c'), undefined]);
  });

  it('keeps the order of nodes that connect to the same server again', () => {
    move(1, '1');
    move(0, '1');
    expect([excluded(), warned]).toEqual([[undefined, same('a'), undefined], [`b: ${same('a')}`]]);
  });

  it('allows two addresses to be exchanged', () => {
    move(0, '2');
    expect(excluded()).toEqual([same('b'), undefined, undefined]);
    move(1, '1');
    expect(excluded()).toEqual([undefined, undefined, undefined]);
  });
});

describe('Redlock with one server behind two addresses', () => {
  const nodeOf = (name: string): MemoryNode => Object.assign(new MemoryNode(name, new SystemClock()), { runId: name });
  const [node, other] = [nodeOf('node'), nodeOf('other')];
  const redlockOf = (nodes: LockNode[]): Redlock => new Redlock({ nodes });

  it('does not open', async () => {
    await expect(redlockOf([node, other, node]).open()).rejects.toBeInstanceOf(TypeError);
    await expect(redlockOf([node, other]).open()).resolves.toBeUndefined();
  });

  it('takes no locks, also for callers that do not wait for the start', async () => {
    const redlock = redlockOf([node, node, other]);
    await expect(redlock.acquire('a')).rejects.toBeInstanceOf(TypeError);
    await expect(redlock.tryAcquire('a')).rejects.toBeInstanceOf(TypeError);
    expect([node.data.read('a'), other.data.read('a')]).toEqual([undefined, undefined]);
    await redlock.close();
  });
});
