import { Controller, Sse, type MessageEvent, type OnModuleDestroy } from '@nestjs/common';
import { RedlockService } from 'nestjs-redlock';
import { exhaustMap, from, map, merge, Subject, takeUntil, timer, type Observable } from 'rxjs';
import { Database } from '../database/database.js';

/** Ms between two looks at the nodes. */
const LOOK_EVERY = 500;

/**
 * What happens to locks, nodes and tables, for the live page. Everybody can read the addresses of
 * users here, so the route is there only with `LIVE_EVENTS=true`.
 */
@Controller('live')
export class LiveController implements OnModuleDestroy {
  readonly #over = new Subject<void>();

  constructor(
    private readonly redlock: RedlockService,
    private readonly database: Database,
  ) {}

  @Sse('events')
  events(): Observable<MessageEvent> {
    const looks = timer(0, LOOK_EVERY).pipe(exhaustMap(() => from(this.redlock.status())));
    return merge(
      this.redlock.events$,
      this.database.inserted$.pipe(map((table) => ({ type: 'inserted', table }))),
      looks.pipe(map(({ nodes, quorum }) => ({ type: 'status', nodes, quorum }))),
    ).pipe(
      map((event) => ({ data: { at: performance.timeOrigin + performance.now(), ...event } })),
      takeUntil(this.#over),
    );
  }

  /** A shutdown waits for open connections. */
  onModuleDestroy(): void {
    this.#over.next();
  }
}
