import { PROCESS } from '../../../lib/core/port/key-families.js';
import type { MemoryNode } from '../../../lib/memory/memory-node.js';
import { wordsOf } from '../../support/command-words.js';

/** What a node answers to a command that is no script: it keeps the notes of processes, and agrees to all else. */
export function plainAnswer(wire: string, memory: Pick<MemoryNode, 'get' | 'set'>): unknown {
  if (!wire.includes(PROCESS)) return 1;
  const [[verb, key = '', note = '', , ttl] = []] = wordsOf(wire);
  if (verb === 'GET') return memory.get(key) ?? null;
  memory.set(key, note, Number(ttl));
  return 'OK';
}
