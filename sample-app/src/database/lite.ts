import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { guardFolder } from './folder-guard.js';

/** PGlite on a folder that stays between starts. It has no guard of its own: two processes would ruin the files. */
export async function openLite(folder: string): Promise<{ lite: PGlite; close: () => Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const leave = await guardFolder(folder);
  const lite = await PGlite.create(join(folder, 'postgres'));
  return {
    lite,
    close: async () => {
      await lite.close();
      await leave();
    },
  };
}
