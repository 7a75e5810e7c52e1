import { checkOfNode } from '../finding.js';

/** The other checks of keys say nothing where a node does not show them. */
export const hiddenKeys = checkOfNode('hidden keys', async ({ keys }) => {
  try {
    await keys();
    return undefined;
  } catch (error) {
    return {
      severity: 'advice',
      what: `its keys cannot be looked at: ${(error as Error).message}`,
      why: 'whether other programs use the names of locks, or locks never end, is not known',
      remedy: 'run doctor as a user that may also run SCAN and TYPE',
    };
  }
});
