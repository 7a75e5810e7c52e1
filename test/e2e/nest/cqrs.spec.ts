import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Scope, type ModuleMetadata } from '@nestjs/common';
import {
  CommandBus,
  CommandHandler,
  CqrsModule,
  EventBus,
  EventsHandler,
  QueryBus,
  QueryHandler,
  UnhandledExceptionBus,
  type ICommandHandler,
  type IEventHandler,
  type IQueryHandler,
} from '@nestjs/cqrs';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { firstValueFrom } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

abstract class AboutUser {
  constructor(readonly id: string) {}
}

class Register extends AboutUser {}
class Rename extends AboutUser {}
class RegisterAndRename extends AboutUser {}
class Refuse extends AboutUser {}
class FindUser extends AboutUser {}
class Registered extends AboutUser {}
class Renamed extends AboutUser {}

@CommandHandler(Register)
class RegisterHandler implements ICommandHandler<Register> {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('user:<0.id>', { reentrant: true })
  async execute({ id }: Register, @CurrentLock() lock?: Lock): Promise<string> {
    await this.door.pass(id);
    return `registered under ${lock?.resources[0]}`;
  }
}

@CommandHandler(Rename, { scope: Scope.REQUEST })
class RenameHandler implements ICommandHandler<Rename> {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock(({ id }: Rename) => `user:${id}`, { reentrant: true })
  async execute({ id }: Rename): Promise<string> {
    await this.door.pass(id);
    return 'renamed';
  }
}

@CommandHandler(RegisterAndRename)
class RegisterAndRenameHandler implements ICommandHandler<RegisterAndRename> {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @WithLock('user:<0.id>')
  async execute({ id }: RegisterAndRename): Promise<string[]> {
    const registered: string = await this.commands.execute(new Register(id));
    const renamed: string = await this.commands.execute(new Rename(id));
    return [registered, renamed];
  }
}

@CommandHandler(Refuse)
class RefuseHandler implements ICommandHandler<Refuse> {
  @WithLock('user:<0.id>', { onContended: 'reject' })
  async execute({ id }: Refuse): Promise<void> {
    throw new RangeError(`${id} is taken`);
  }
}

@QueryHandler(FindUser)
class FindUserHandler implements IQueryHandler<FindUser> {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('user:<args.0.id>')
  async execute({ id }: FindUser): Promise<string> {
    await this.door.pass(id);
    return 'found';
  }
}

@EventsHandler(Registered)
class RegisteredHandler implements IEventHandler<Registered> {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('user:<0.id>')
  async handle({ id }: Registered): Promise<void> {
    await this.door.pass(id);
  }
}

@EventsHandler(Renamed)
class RenamedHandler implements IEventHandler<Renamed> {
  @WithLock('user:<0.id>', { onContended: 'reject' })
  async handle({ id }: Renamed): Promise<void> {
    if (id === 'nobody') throw new RangeError('nobody was renamed');
  }
}

const HANDLERS = [
  RegisterHandler,
  RenameHandler,
  RegisterAndRenameHandler,
  RefuseHandler,
  FindUserHandler,
  RegisteredHandler,
  RenamedHandler,
];

const command = ({ app }: TestApp, about: AboutUser): Promise<unknown> => app.get(CommandBus).execute(about);
const query = ({ app }: TestApp, about: AboutUser): Promise<unknown> => app.get(QueryBus).execute(about);
const publish = ({ app }: TestApp, about: AboutUser): unknown => app.get(EventBus).publish(about);

describe('handlers of commands, queries and events of two replicas', () => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = (): ModuleMetadata => ({
      imports: [CqrsModule.forRoot(), poolOn(servers)],
      providers: [...HANDLERS, { provide: Door, useValue: door }],
    });
    [one, two] = await TestApp.pair('Express', metadata);
  });

  beforeEach(() => {
    door.reset();
    for (const { log } of [one!, two!]) log.clear();
  });

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it.each<[string, (app: TestApp) => unknown, (app: TestApp) => unknown]>([
    ['commands', (app) => command(app, new Register('7')), (app) => command(app, new Register('7'))],
    ['commands of a request scope', (app) => command(app, new Rename('7')), (app) => command(app, new Rename('7'))],
    ['a command and a query', (app) => command(app, new Register('7')), (app) => query(app, new FindUser('7'))],
    ['events', (app) => publish(app, new Registered('7')), (app) => publish(app, new Registered('7'))],
  ])('run one after the other: %s', async (_case, first, second) => {
    door.shut();
    const handled = [first(one!)];
    await door.untilVisits(1);
    handled.push(second(two!));
    await two!.log.until('contended', 'user:7');
    expect(door.inside).toBe(1);
    door.open();
    await Promise.all(handled);
    await door.untilVisits(2);
    expect(door.most).toBe(1);
    await untilFree(servers);
  });

  it('answer, and share the lock with the reentrant commands that they execute', async () => {
    await expect(command(one!, new RegisterAndRename('7'))).resolves.toEqual(['registered under user:7', 'renamed']);
    await expect(query(one!, new FindUser('8'))).resolves.toBe('found');
    expect([one!.log.count('acquired', 'user:7'), one!.log.count('acquired', 'user:8')]).toEqual([1, 1]);
  });

  it('pass their own errors, and those of the lock', async () => {
    await expect(command(one!, new Refuse('7'))).rejects.toThrow(new RangeError('7 is taken'));
    await using held = await two!.redlock.acquire('user:7');
    const locked = { code: 'RESOURCE_LOCKED', resources: held.resources };
    await expect(command(one!, new Refuse('7'))).rejects.toMatchObject(locked);
    await expect(query(one!, new FindUser(''))).rejects.toMatchObject({ code: 'LOCK_KEY' });
  });

  it('tell the bus for unhandled exceptions where they handle events', async () => {
    const exceptions = one!.app.get(UnhandledExceptionBus);
    const own = firstValueFrom(exceptions);
    publish(one!, new Renamed('nobody'));
    await expect(own).resolves.toMatchObject({ exception: new RangeError('nobody was renamed') });
    await using held = await two!.redlock.acquire('user:7');
    const locked = firstValueFrom(exceptions);
    publish(one!, new Renamed('7'));
    await expect(locked).resolves.toMatchObject({
      exception: { code: 'RESOURCE_LOCKED', resources: held.resources },
      cause: new Renamed('7'),
    });
  });
});
