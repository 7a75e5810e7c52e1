import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

type Kind = 'pid' | 'container' | 'folder';

const SCRIPT = fileURLToPath(new URL('keeper.sh', import.meta.url));

/**
 * What has to be ended or removed when this process ends. It is told to a shell that outlives this process, and that
 * runs only while something is on the list.
 */
class Keeper {
  readonly #entries = new Set<string>();
  #shell: ChildProcessByStdio<Writable, null, null> | undefined;

  add(kind: Kind, id: string | number): void {
    this.#entries.add(`${kind} ${id}`);
    this.#shell ??= startShell();
    this.#shell.stdin.write(`+ ${kind} ${id}\n`);
  }

  remove(kind: Kind, id: string | number): void {
    if (!this.#entries.delete(`${kind} ${id}`)) return;
    this.#shell?.stdin.write(`- ${kind} ${id}\n`);
    if (this.#entries.size > 0) return;
    this.#shell?.stdin.end();
    this.#shell = undefined;
  }
}

function startShell(): ChildProcessByStdio<Writable, null, null> {
  // Detached: Ctrl-C goes to the whole process group, and must not end the process that cleans up.
  const shell = spawn('sh', [SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  (shell.stdin as Writable & { unref(): void }).unref();
  return shell;
}

export const keeper = new Keeper();
