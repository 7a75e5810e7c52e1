import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for a PATH, with programs that are shell scripts of one line. */
export async function createStubPrograms(scripts: Record<string, string>): Promise<StubPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-programs-'));
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

export interface StubPrograms {
  readonly folder: string;
  remove(): Promise<void>;
}
