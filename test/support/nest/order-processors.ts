import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import type { Job } from 'bullmq';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Deferred } from './deferred.js';
import { Door } from './door.js';

export interface Order {
  readonly id: string;
}

type Work = (this: Processors, job: Job<Order>, ...more: unknown[]) => Promise<unknown>;

/** A decorator that puts a method of its own in the place of the one below, as those for logs and metrics do. */
function Measured(): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const work = descriptor.value as Work;
    descriptor.value = function measured(this: Processors, job: Job<Order>, ...more: unknown[]): Promise<unknown> {
      this.measured += 1;
      return work.call(this, job, ...more);
    };
  };
}

/** What the processors of both replicas have in common. */
@Injectable()
export class FailureLog {
  readonly failures: Error[] = [];
  #failed = new Deferred();

  fail(error: Error): void {
    this.failures.push(error);
    this.#failed.resolve();
    this.#failed = new Deferred();
  }

  async untilFailures(count: number): Promise<void> {
    while (this.failures.length < count) await this.#failed.promise;
  }
}

@Injectable()
export abstract class Processors extends WorkerHost {
  measured = 0;

  constructor(
    @Inject(Door) readonly door: Door,
    @Inject(FailureLog) readonly log: FailureLog,
  ) {
    super();
  }

  async pass({ data }: Job<Order>): Promise<string> {
    await this.door.pass(data.id);
    return `packed ${data.id}`;
  }
}

@Processor('above')
class Above extends Processors {
  @WithLock('order:<0.data.id>')
  @Measured()
  async process(job: Job<Order>): Promise<string> {
    return this.pass(job);
  }
}

@Processor('below')
class Below extends Processors {
  @Measured()
  @WithLock('order:<args.0.data.id>')
  async process(job: Job<Order>): Promise<string> {
    return this.pass(job);
  }
}

@Processor('by-function')
class ByFunction extends Processors {
  @WithLock((job: Job<Order>) => `order:${job.data.id}`)
  async process(job: Job<Order>): Promise<string> {
    return this.pass(job);
  }
}

@Processor({ name: 'scoped', scope: Scope.REQUEST })
class Scoped extends Processors {
  @WithLock('order:<0.data.id>')
  async process(job: Job<Order>): Promise<string> {
    return this.pass(job);
  }
}

@Processor('rejecting')
class Rejecting extends Processors {
  @WithLock('order:<0.data.id>', { onContended: 'reject' })
  // BullMQ has something of its own to give to a third parameter.
  async process(job: Job<Order>, _token?: string, @CurrentLock() lock?: Lock): Promise<string> {
    await this.pass(job);
    return `under ${lock?.resources[0]}`;
  }

  @OnWorkerEvent('failed')
  failed(_job: Job<Order>, error: Error): void {
    this.log.fail(error);
  }
}

@Processor('failing')
class Failing extends Processors {
  @WithLock('order:<0.data.id>')
  async process(job: Job<Order>): Promise<string> {
    await this.pass(job);
    throw new RangeError('out of boxes');
  }

  @WithLock('failures')
  @OnWorkerEvent('failed')
  async failed(_job: Job<Order>, error: Error): Promise<void> {
    this.log.fail(error);
  }
}

/** By the names of their queues. */
export const PROCESSORS: Record<string, Type<Processors>> = {
  above: Above,
  below: Below,
  'by-function': ByFunction,
  scoped: Scoped,
  rejecting: Rejecting,
  failing: Failing,
};
