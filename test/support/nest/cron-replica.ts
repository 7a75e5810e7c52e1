import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CompiledLib } from '../compiled-lib.js';

/** A Nest application whose job comes every second by the clock of its process, and does next to nothing. */
const SCRIPT = `
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { CurrentLock, RedlockModule, RedlockService, WithLock, type Lock } from './index.js';

const { nodes, minHold } = JSON.parse(process.argv[2]!);
const tell = (what: string, tick: string) => console.log(JSON.stringify({ what, tick }));

@Injectable()
class Jobs {
  @Cron('* * * * * *')
  @WithLock(() => 'job:' + Math.round(Date.now() / 1_000), { onContended: 'skip', minHold })
  async run(@CurrentLock() lock?: Lock): Promise<void> {
    tell('ran', lock!.resources[0]!);
  }
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    RedlockModule.forRoot({ nodes, isGlobal: true, nodeTimeout: 3_000, restartQuarantine: false }),
  ],
  providers: [Jobs],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: false });
app.get(RedlockService).events$.subscribe((event) => {
  if (event.type === 'skipped') tell('skipped', event.resources[0]!);
});
`;

export interface Tick {
  readonly what: 'ran' | 'skipped';
  /** Names the second that it is, by the clock of the replica. */
  readonly tick: string;
}

export interface ReplicaSettings {
  readonly nodes: readonly string[];
  readonly minHold?: number;
}

/** A replica in a process of its own. */
export class CronReplica {
  readonly ticks: Tick[] = [];

  private constructor(
    private readonly child: ChildProcess,
    told: () => void,
  ) {
    createInterface(child.stdout!).on('line', (line) => {
      this.ticks.push(JSON.parse(line) as Tick);
      told();
    });
  }

  /** Calls `told` whenever its job came round. */
  static async start(
    lib: CompiledLib,
    settings: ReplicaSettings,
    { env, told }: { readonly env: NodeJS.ProcessEnv; readonly told: () => void },
  ): Promise<CronReplica> {
    return new CronReplica(await lib.run(SCRIPT, [JSON.stringify(settings)], env), told);
  }

  /** When its job came round, whatever came of it. */
  get came(): Set<string> {
    return new Set(this.ticks.map(({ tick }) => tick));
  }

  /** When it ran its job. */
  get ran(): string[] {
    return this.ticks.filter(({ what }) => what === 'ran').map(({ tick }) => tick);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
