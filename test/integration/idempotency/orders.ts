import {
  Body,
  CanActivate,
  ClassSerializerInterceptor,
  ConflictException,
  Controller,
  Delete,
  type ExecutionContext,
  Header,
  HttpCode,
  Injectable,
  type NestInterceptor,
  NotFoundException,
  Param,
  Patch,
  Post,
  Redirect,
  Req,
  RequestTimeoutException,
  Res,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
  type CallHandler,
  type ModuleMetadata,
  StreamableFile,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Exclude } from 'class-transformer';
import { IsEmail } from 'class-validator';
import { CurrentLock, type Lock, WithLock } from 'nestjs-redlock';
import { catchError, delay, defer, map, of, throwError, timeout, type Observable } from 'rxjs';
import { CurrentCall, Idempotent, type OnceCall } from 'nestjs-redlock/idempotency';
import { GlobalIdempotencyExceptionFilter } from '../../../lib/idempotency/idempotency-exception.filter.js';

/** What has happened in all replicas. */
export class Tally {
  runs = 0;
  ends = 0;
  guards = 0;
  /** How many requests have to be there before a run fails. */
  awaited = 0;
  /** `previous` of each call. */
  readonly previous: (string | undefined)[] = [];
  value: unknown;

  reset(): void {
    this.runs = this.ends = this.guards = this.awaited = 0;
    this.previous.length = 0;
  }
}

interface Setter {
  header(name: string, value: string): unknown;
}

@Injectable()
class Users implements CanActivate {
  constructor(private readonly tally: Tally) {}

  canActivate(context: ExecutionContext): boolean {
    this.tally.guards += 1;
    const request = context.switchToHttp().getRequest<{ user?: object; headers: Record<string, string | undefined> }>();
    const id = request.headers['x-user'];
    if (id === undefined) throw new UnauthorizedException();
    request.user = { id };
    return true;
  }
}

class Account {
  readonly id: number;
  @Exclude()
  readonly password = '$2b$10$hash';

  constructor(id: number) {
    this.id = id;
  }
}

class SignUp {
  @IsEmail()
  email!: string;
}

/** As an interceptor of the application does that puts answers into an envelope. */
class Envelope implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => (data instanceof Object && 'id' in data ? { data } : data)));
  }
}

class Impatient implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      timeout(100),
      catchError(() => throwError(() => new RequestTimeoutException())),
    );
  }
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A provider, which the handler of a request calls. */
@Injectable()
class Charges {
  @Idempotent('charge:<0.id>', { fingerprint: '<0.amount>' })
  async charge(body: { id: string; amount: number }): Promise<object> {
    return { charged: body.amount };
  }
}

@Controller('orders')
@UseGuards(Users)
export class Orders {
  constructor(
    private readonly tally: Tally,
    private readonly charges: Charges,
  ) {}

  @Post()
  @Idempotent()
  async create(@CurrentCall() call?: OnceCall): Promise<Account> {
    this.tally.previous.push(call?.previous);
    this.tally.runs += 1;
    const id = this.tally.runs;
    await later(30);
    return new Account(id);
  }

  @Post('headers')
  @Idempotent()
  async headers(@Res({ passthrough: true }) response: Setter): Promise<object> {
    this.tally.runs += 1;
    response.header('Location', `/orders/${this.tally.runs}`);
    response.header('ETag', '"1"');
    response.header('Set-Cookie', 'csrf=1');
    response.header('X-RateLimit-Remaining', '7');
    return { ok: true };
  }

  @Post('value')
  @Idempotent()
  async any(): Promise<unknown> {
    this.tally.runs += 1;
    return this.tally.value;
  }

  @Delete('none')
  @HttpCode(204)
  @Idempotent()
  async none(): Promise<void> {
    this.tally.runs += 1;
  }

  @Post('text')
  @Header('Content-Type', 'text/plain')
  @Idempotent()
  async text(): Promise<string> {
    this.tally.runs += 1;
    return 'hello';
  }

  @Post('bytes/:size')
  @Header('Content-Type', 'application/octet-stream')
  @Idempotent()
  async bytes(@Param('size') size: string, @Res({ passthrough: true }) response: Setter): Promise<Buffer> {
    this.tally.runs += 1;
    response.header('Location', `/bytes/${size}`);
    return Buffer.alloc(Number(size), 7);
  }

  @Post('file')
  @Idempotent()
  async file(): Promise<unknown> {
    this.tally.runs += 1;
    return new StreamableFile(Buffer.from('contents'));
  }

  @Post('moved')
  @Redirect('/elsewhere')
  @Idempotent()
  async moved(): Promise<object> {
    this.tally.runs += 1;
    return { url: `/orders/${this.tally.runs}`, statusCode: 303 };
  }

  @Post('accepted')
  @HttpCode(202)
  @Idempotent()
  accepted(): object {
    this.tally.runs += 1;
    return { run: this.tally.runs };
  }

  @Patch(':id/pay')
  @Idempotent()
  async pay(@Param('id') id: string): Promise<object> {
    this.tally.runs += 1;
    return { paid: id };
  }

  @Post('slow')
  @Idempotent({ waitTimeout: 200 })
  async slow(): Promise<object> {
    this.tally.runs += 1;
    await later(1_500);
    this.tally.ends += 1;
    return { run: this.tally.runs };
  }

  @Post('busy')
  @Idempotent({ onBusy: 'reject' })
  async busy(): Promise<object> {
    this.tally.runs += 1;
    await later(1_500);
    this.tally.ends += 1;
    return { run: this.tally.runs };
  }

  @Post('signup')
  @Idempotent()
  async signUp(@Body(new ValidationPipe()) body: SignUp): Promise<object> {
    this.tally.runs += 1;
    return { welcome: body.email };
  }

  @Post('fails/:how')
  @Idempotent()
  async fails(@Param('how') how: string, @CurrentCall() call?: OnceCall): Promise<void> {
    this.tally.runs += 1;
    this.tally.previous.push(call?.previous);
    while (this.tally.guards < this.tally.awaited) await later(5);
    await later(100);
    throw how === 'conflict' ? new ConflictException('taken') : new Error('no');
  }

  @Post('refuses/:how')
  @Idempotent({ onInterrupted: 'refuse' })
  async refuses(@Param('how') how: string): Promise<void> {
    this.tally.runs += 1;
    throw how === 'conflict' ? new ConflictException('taken') : new Error('no');
  }

  @Post('locked/inside')
  @Idempotent()
  @WithLock('stock:<body.id>')
  async lockedInside(@CurrentLock() lock?: Lock, @CurrentCall() call?: OnceCall): Promise<object> {
    this.tally.runs += 1;
    return { lock: lock?.resources, attempt: call?.attempt };
  }

  @Post('locked/outside')
  @WithLock('stock:<body.id>')
  @Idempotent()
  async lockedOutside(@CurrentLock() lock?: Lock, @CurrentCall() call?: OnceCall): Promise<object> {
    this.tally.runs += 1;
    return { lock: lock?.resources, attempt: call?.attempt };
  }

  @Post('nested')
  async nested(@Body() body: { id: string; amount: number }): Promise<unknown> {
    return this.charges.charge(body);
  }

  @Post('kept-error')
  @Idempotent({ keepErrors: '4xx' })
  async keptError(): Promise<void> {
    this.tally.runs += 1;
    throw new NotFoundException({ message: `no such order, said run ${this.tally.runs}`, extra: 1 });
  }

  @Post('leaving/promise')
  @Idempotent()
  async leaving(): Promise<object> {
    this.tally.runs += 1;
    await later(500);
    this.tally.ends += 1;
    return { run: this.tally.runs };
  }

  @Post('leaving/observable')
  @Idempotent()
  leavingStream(): Observable<object> {
    return defer(() => {
      this.tally.runs += 1;
      return of(0).pipe(
        delay(500),
        map(() => ({ run: this.tally.runs, ended: (this.tally.ends += 1) })),
      );
    });
  }

  @Post('impatient')
  @UseInterceptors(Impatient)
  @Idempotent()
  async impatient(): Promise<object> {
    this.tally.runs += 1;
    await later(1_000);
    this.tally.ends += 1;
    return { secret: 'not serialized' };
  }

  @Post('hijacked')
  @Idempotent()
  async hijacked(@Req() request: { res?: HijackedResponse }, @Res({ passthrough: true }) response: HijackedResponse) {
    this.tally.runs += 1;
    const raw = (response.raw ?? request.res ?? response) as { end(text: string): void };
    response.hijack?.();
    raw.end('by myself');
  }

  @Post('optional')
  @Idempotent({ required: false })
  async optional(@CurrentCall() call?: OnceCall): Promise<object> {
    this.tally.runs += 1;
    return { run: this.tally.runs, protected: call !== undefined };
  }

  @Post('priced')
  @Idempotent('order:<body.ref>', { fingerprint: '<body.amount>' })
  async priced(): Promise<object> {
    this.tally.runs += 1;
    return { run: this.tally.runs };
  }

  @Post('natural')
  @Idempotent('signup:<body.email|trim|lower>')
  async natural(): Promise<object> {
    this.tally.runs += 1;
    return { run: this.tally.runs };
  }
}

interface HijackedResponse {
  raw?: object;
  hijack?(): void;
}

/** An application whose answers pass a serializer and an envelope. */
export function orders(tally: Tally, imports: NonNullable<ModuleMetadata['imports']>): ModuleMetadata {
  return {
    imports,
    controllers: [Orders],
    providers: [
      Charges,
      GlobalIdempotencyExceptionFilter,
      { provide: Tally, useValue: tally },
      { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
      { provide: APP_INTERCEPTOR, useClass: Envelope },
    ],
  };
}
