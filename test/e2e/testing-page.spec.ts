import { afterEach, describe, expect, it } from '@jest/globals';
import * as testing from '../../lib/testing/index.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { PAGE, testFiles } from '../support/testing-page.js';

/** Ms: another Jest is to start beside other tests. */
const PATIENCE = 180_000;

/** Runs the tests of the page beside what they test, as a reader would who pastes it all. */
async function runAll(): ReturnType<PastedCode['runSpecs']> {
  const pasted = await PastedCode.write(testFiles());
  const files = testFiles().map(({ file }) => file);
  return pasted.runSpecs(files.filter((file) => file.endsWith('.spec.ts')));
}

afterEach(removePasted);

describe('docs/guides/testing.md', () => {
  it(
    'has the code that is run here',
    () => {
      expect(testFiles().map(({ file }) => file)).toEqual([
        'users.controller.ts',
        'users.controller.spec.ts',
        'app.module.ts',
        'app.e2e.spec.ts',
        'matchers.ts',
        'nightly.spec.ts',
      ]);
    },
    PATIENCE,
  );

  it(
    'has tests that pass',
    async () => {
      const { numPassedTests, testResults } = await runAll();
      expect(testResults.filter(({ status }) => status !== 'passed').map(({ message }) => message)).toEqual([]);
      expect([testResults.length, numPassedTests]).toEqual([3, 6]);
    },
    PATIENCE,
  );

  it('needs three lines for a unit test of a controller', () => {
    const { code } = testFiles().find(({ file }) => file === 'users.controller.spec.ts')!;
    expect(/async \(\) => \{\n((?: .*\n)+)\}\);\n$/.exec(code)![1]!.trimEnd().split('\n')).toHaveLength(3);
  });

  it('names all matchers, and what there is to look at and to disturb', () => {
    const names = [
      ...Object.keys(testing.redlockMatchers),
      ...Object.getOwnPropertyNames(Object.getPrototypeOf(testing.RedlockTesting.prototype)),
      ...Object.getOwnPropertyNames(testing.RedlockTesting.prototype),
    ];
    for (const name of names.filter((one) => one !== 'constructor')) {
      expect(PAGE).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });
});
