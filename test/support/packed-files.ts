import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The files that npm would put into the package, of what there is at this moment: nothing is built or written. */
export async function packedFiles(folder = '.'): Promise<readonly string[]> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 16_000_000 });
  // A list in some versions of npm, an object by name in others.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>);
  return packed!.files.map(({ path }) => path);
}
