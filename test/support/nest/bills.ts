import { Controller, Post, Res, type ModuleMetadata } from '@nestjs/common';
import { CurrentCall, Idempotent, type OnceCall } from 'nestjs-redlock/idempotency';
import { Door } from './door.js';

interface Setter {
  header(name: string, value: string): unknown;
}

/** A handler that runs once for its key, and stands in a door meanwhile. */
@Controller('bills')
class Bills {
  constructor(private readonly door: Door) {}

  @Post()
  @Idempotent({ public: true })
  async create(@Res({ passthrough: true }) response: Setter, @CurrentCall() call: OnceCall): Promise<object> {
    const id = this.door.visits.length + 1;
    await this.door.pass(call.previous);
    response.header('Location', `/bills/${id}`);
    response.header('ETag', `"${id}"`);
    return { id, secret: `secret of bill ${id}` };
  }
}

/** An application whose visitors of the door are the runs, each by what it was told of earlier ones. */
export function bills(door: Door, imports: NonNullable<ModuleMetadata['imports']>): ModuleMetadata {
  return { imports, controllers: [Bills], providers: [{ provide: Door, useValue: door }] };
}
