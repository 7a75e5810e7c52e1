import { expect, it } from '@jest/globals';
import { noteKey, type ProcessNote } from '../../lib/core/port/process-note.js';
import type { ContractSuite } from './contract-suite.js';

const NOTE = { host: 'web-1', pid: 17, application: 'orders', version: '0.1.0', since: '2026-11-24T21:00:00.000Z' };

export function describeNotes(suite: ContractSuite): void {
  let marks = 0;
  const fresh = (): string => `mark-${(marks += 1)}`;
  const noteOf = (mark: string): Promise<ProcessNote | undefined> =>
    new Promise((resolve) => suite.under.node.noteOf(mark, resolve));
  const plant = (mark: string, text: string): Promise<void> => suite.under.plant(noteKey('', mark), text, 60_000);

  it('has what a process says about itself', async () => {
    const mark = fresh();
    await plant(mark, JSON.stringify(NOTE));
    expect(await noteOf(mark)).toEqual(NOTE);
  });

  it.each([
    ['nothing', undefined],
    ['no note', 'text'],
    ['a note without a process', JSON.stringify({ ...NOTE, pid: undefined })],
    ['a note whose application is no name', JSON.stringify({ ...NOTE, application: { name: 'orders' } })],
  ])('has none where there is %s', async (_case, text) => {
    const mark = fresh();
    if (text !== undefined) await plant(mark, text);
    expect(await noteOf(mark)).toBeUndefined();
  });

  it('answers later than the call returns, and once', async () => {
    const mark = fresh();
    await plant(mark, JSON.stringify(NOTE));
    const answers: unknown[] = [];
    suite.under.node.noteOf(mark, (note) => answers.push(note));
    expect(answers).toEqual([]);
    await suite.probed();
    expect(answers).toEqual([NOTE]);
  });
}
