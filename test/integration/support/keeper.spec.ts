import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../support/redis-server/keeper.sh', import.meta.url));

describe('keeper.sh', () => {
  it('ends what is still on its list when its process is gone, and nothing else', async () => {
    const [left, frozen, done] = [1, 2, 3].map(() => spawn('sleep', ['60']));
    const folder = await mkdtemp(join(tmpdir(), 'redlock-keeper-'));
    const keeper = spawn('sh', [SCRIPT]);
    frozen!.kill('SIGSTOP');
    for (const entry of [`pid ${left!.pid}`, `pid ${done!.pid}`, `folder ${folder}`, `pid ${frozen!.pid}`]) {
      keeper.stdin.write(`+ ${entry}\n`);
    }
    const ended = Promise.all([once(left!, 'exit'), once(frozen!, 'exit'), once(keeper, 'exit')]);
    keeper.stdin.end(`- pid ${done!.pid}\n`);
    await ended;
    expect([existsSync(folder), done!.exitCode, done!.signalCode]).toEqual([false, null, null]);
    done!.kill('SIGKILL');
  });
});
