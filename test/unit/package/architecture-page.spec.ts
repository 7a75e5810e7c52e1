import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const PAGE = readFileSync('docs/internals/architecture.md', 'utf8');
const ROOMS = /```mermaid\n(flowchart .*?)```/s.exec(PAGE)?.[1] ?? '';
const folders = readdirSync('lib', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('docs/internals/architecture.md', () => {
  it('draws every folder of lib, and says what it is for', () => {
    const tables = PAGE.split('\n').filter((line) => line.startsWith('| '));
    expect(folders.length).toBeGreaterThan(8);
    expect(folders.filter((folder) => !new RegExp(`\\b${folder}\\b`).test(ROOMS))).toEqual([]);
    expect(folders.filter((folder) => !tables.some((row) => row.split('|')[1]!.includes(`\`${folder}\``)))).toEqual([]);
  });

  it('names files of the engine that are there', () => {
    const table = PAGE.slice(PAGE.indexOf('| in `engine`')).split('\n\n')[0]!.split('\n').slice(2);
    const named = table.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !existsSync(`lib/engine/${name}.ts`))).toEqual([]);
  });

  it('draws the states of the local queue', () => {
    const states = /#state: ([^=]+) =/.exec(readFileSync('lib/engine/local-queue.ts', 'utf8'))?.[1] ?? '';
    const drawn = /stateDiagram-v2\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
    const inCode = [...states.matchAll(/'(\w+)'/g)].map(([, state]) => state!);
    const onPage = [...drawn.matchAll(/--> (\w+)/g)].map(([, state]) => state!);
    expect([...new Set(onPage)].sort()).toEqual(inCode.sort());
  });
});
