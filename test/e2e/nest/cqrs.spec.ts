import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Scope } from '@nestjs/common';
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
import { endAll } from '../../support/nest/end-all.js';
import { untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import type { TestApp } from '../../support/nest/test-app.js';

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
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start('Express', () => ({ imports: [CqrsModule.forRoot()], providers: HANDLERS }));
  });
  beforeEach(() => replicas.reset());
  afterAll(endAll);

  it.each<[string, (app: TestApp) => unknown, (app: TestApp) => unknown]>([
    ['commands', (app) => command(app, new Register('7')), (app) => command(app, new Register('7'))],
    ['commands of a request scope', (app) => command(app, new Rename('7')), (app) => command(app, new Rename('7'))],
    ['a command and a query', (app) => command(app, new Register('7')), (app) => query(app, new FindUser('7'))],
    ['events', (app) => publish(app, new Registered('7')), (app) => publish(app, new Registered('7'))],
  ])('run one after the other: %s', async (_case, first, second) => {
    replicas.door.shut();
    const handled = [first(replicas.one)];
    await replicas.door.untilVisits(1);
    handled.push(second(replicas.two));
    await replicas.two.log.until('contended', 'user:7');
    expect(replicas.door.inside).toBe(1);
    replicas.door.open();
    await Promise.all(handled);
    await replicas.door.untilVisits(2);
    expect(replicas.door.most).toBe(1);
    await untilFree(replicas.servers);
  });

  it('answer, and share the lock with the reentrant commands that they execute', async () => {
    await expect(command(replicas.one, new RegisterAndRename('7'))).resolves.toEqual([
      'registered under user:7',
      'renamed',
    ]);
    await expect(query(replicas.one, new FindUser('8'))).resolves.toBe('found');
    expect([replicas.one.log.count('acquired', 'user:7'), replicas.one.log.count('acquired', 'user:8')]).toEqual([
      1, 1,
    ]);
  });

  it('pass their own errors, and those of the lock', async () => {
    await expect(command(replicas.one, new Refuse('7'))).rejects.toThrow(new RangeError('7 is taken'));
    await using held = await replicas.two.redlock.acquire('user:7');
    const locked = { code: 'RESOURCE_LOCKED', resources: held.resources };
    await expect(command(replicas.one, new Refuse('7'))).rejects.toMatchObject(locked);
    await expect(query(replicas.one, new FindUser(''))).rejects.toMatchObject({ code: 'LOCK_KEY' });
  });

  it('tell the bus for unhandled exceptions where they handle events', async () => {
    const exceptions = replicas.one.app.get(UnhandledExceptionBus);
    const own = firstValueFrom(exceptions);
    publish(replicas.one, new Renamed('nobody'));
    await expect(own).resolves.toMatchObject({ exception: new RangeError('nobody was renamed') });
    await using held = await replicas.two.redlock.acquire('user:7');
    const locked = firstValueFrom(exceptions);
    publish(replicas.one, new Renamed('7'));
    await expect(locked).resolves.toMatchObject({
      exception: { code: 'RESOURCE_LOCKED', resources: held.resources },
      cause: new Renamed('7'),
    });
  });
});
