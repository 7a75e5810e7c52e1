import { Controller, Inject, Injectable } from '@nestjs/common';
import {
  Args,
  Field,
  GraphQLISODateTime,
  ID,
  Mutation,
  ObjectType,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { defer, of, type Observable } from 'rxjs';
import { CurrentCall, Idempotent, type OnceCall } from 'nestjs-redlock/idempotency';
import { Tally } from './orders.js';

@ObjectType()
export class Booking {
  @Field(() => ID)
  id!: string;

  @Field(() => GraphQLISODateTime, { nullable: true })
  at!: Date | null;
}

@Resolver(() => Booking)
export class BookingResolver {
  fields = 0;

  constructor(@Inject(Tally) private readonly tally: Tally) {}

  @Query(() => String)
  ping(): string {
    return 'pong';
  }

  @Mutation(() => Booking)
  @Idempotent('book:<args.id>')
  async book(@Args('id') id: string): Promise<Booking> {
    this.tally.runs += 1;
    return { id, at: new Date(1_700_000_000_000) };
  }

  @Mutation(() => Booking)
  @Idempotent('bookByHeader:<headers.idempotency-key>')
  async bookByHeader(@Args('id') id: string): Promise<Booking> {
    this.tally.runs += 1;
    return { id, at: null };
  }

  @ResolveField(() => String)
  note(): string {
    this.tally.guards += 1;
    return 'by a field resolver';
  }
}

@Controller()
export class BookingMessages {
  constructor(@Inject(Tally) private readonly tally: Tally) {}

  @MessagePattern('book')
  @Idempotent('book:<data.id>')
  async book(@Payload() _data: object, @CurrentCall() call?: OnceCall): Promise<object> {
    this.tally.runs += 1;
    return { run: this.tally.runs, attempt: call?.attempt };
  }

  @MessagePattern('book.stream')
  @Idempotent('book:<data.id>')
  bookStream(): Observable<number> {
    return defer(() => of((this.tally.runs += 1)));
  }

  @MessagePattern('book.many')
  @Idempotent('book:<data.id>')
  bookMany(): Observable<number> {
    this.tally.runs += 1;
    return of(1, 2);
  }

  @EventPattern('booked')
  @Idempotent('booked:<data.id>')
  async booked(@Payload() _data: object): Promise<object> {
    this.tally.runs += 1;
    return new Map([[this, this]]);
  }
}

@WebSocketGateway()
export class BookingGateway {
  constructor(@Inject(Tally) private readonly tally: Tally) {}

  @SubscribeMessage('book')
  @Idempotent('book:<data.id>')
  async book(@MessageBody() _body: object, @ConnectedSocket() _socket: unknown): Promise<object> {
    this.tally.runs += 1;
    return { event: 'booked', data: { run: this.tally.runs } };
  }
}

export class Seat {
  constructor(readonly row: number) {}
}

/** A provider, which handles no request. */
@Injectable()
export class Bookings {
  constructor(@Inject(Tally) private readonly tally: Tally) {}

  @Idempotent('seat:<0.id>')
  async take(_order: { id: string }, @CurrentCall() call?: OnceCall): Promise<unknown> {
    this.tally.runs += 1;
    return { at: new Date(0), map: new Map([[1, 2n]]), none: undefined, attempt: call?.attempt };
  }

  @Idempotent('stream:<0>')
  takeStream(_id: string): Observable<number> {
    return defer(() => of((this.tally.runs += 1)));
  }

  @Idempotent('class:<0>')
  async takeSeat(_id: string): Promise<Seat> {
    this.tally.runs += 1;
    return new Seat(1);
  }

  @Idempotent('id:<0>', {
    codec: { encode: (seat) => (seat as Seat).row, decode: (row) => new Seat(row as number) },
    fingerprint: '<1>',
  })
  async takeById(_id: string, _row: number): Promise<Seat> {
    this.tally.runs += 1;
    return new Seat(7);
  }

  @Idempotent('self:<0>')
  async takeItself(id: string): Promise<unknown> {
    return this.takeItself(id);
  }
}
