import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { acquiring, extending, holding } from '../core/api/telemetry/channels.js';
import type { AcquireMessage, ExtendMessage, HoldMessage } from '../core/api/telemetry/messages.js';
import { attributesOf, errorTypeOf, type ResourceNaming } from './attributes.js';
import type { Subscriptions } from './subscriptions.js';
import { wallNow } from '../core/time/real-time.js';

/** The span of one lock: from the call for it until the lock is over. */
interface LockSpan {
  readonly span: Span;
  /** Ms since the epoch. */
  readonly began: number;
  /** How many of the operations that the span covers are under way: the call for the lock, and the lock itself. */
  open: number;
}

/** The spans of locks. What is done to get a lock, such as commands to the nodes, becomes a child of its span. */
export class LockSpans {
  readonly #spans = new WeakMap<AcquireMessage, LockSpan>();

  constructor(
    private readonly tracer: Tracer,
    private readonly resource: ResourceNaming,
  ) {}

  observe(subscriptions: Subscriptions): void {
    const contexts = storageOfContexts();
    const withSpan = (message: AcquireMessage): Context => trace.setSpan(context.active(), this.#begin(message).span);
    if (contexts) subscriptions.bind(acquiring.start, contexts, withSpan);
    subscriptions.on(acquiring.start, (message: AcquireMessage) => this.#begin(message));
    subscriptions.on(acquiring.asyncEnd, (message: AcquireMessage) => this.#answered(message));
    subscriptions.on(holding.start, ({ acquire }: HoldMessage) => this.#taken(acquire));
    subscriptions.on(holding.asyncEnd, (message: HoldMessage) => this.#over(message));
    subscriptions.on(extending.asyncEnd, (message: ExtendMessage) => this.#extended(message));
  }

  #begin(message: AcquireMessage): LockSpan {
    const begun = this.#spans.get(message);
    if (begun) return begun;
    const { template, resources } = message;
    const attributes: Attributes = attributesOf(message, this.resource);
    if (this.resource === 'value') attributes['redlock.resource'] = [...resources];
    const name = template === undefined || this.resource === 'none' ? 'lock' : `lock ${template}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes });
    const lockSpan = { span, began: wallNow(), open: 1 };
    this.#spans.set(message, lockSpan);
    return lockSpan;
  }

  #answered(message: AcquireMessage): void {
    const lockSpan = this.#spans.get(message);
    if (!lockSpan) return;
    const { span, began } = lockSpan;
    const { contended, path, attempts, fencingToken, outcome, error } = message;
    if (contended !== undefined) span.addEvent('contended', new Date(began + contended));
    if (path === 'hand-off' || path === 'local') span.addEvent('hand-off');
    if (path !== undefined) span.setAttribute('redlock.wait.path', path);
    if (attempts !== undefined) span.setAttribute('redlock.attempts', attempts);
    if (fencingToken !== undefined) span.setAttribute('redlock.fencing_token', fencingToken);
    if (outcome !== 'acquired' && outcome !== 'skipped')
      fail(span, outcome === 'aborted' ? 'ABORTED' : errorTypeOf(error));
    this.#close(message);
  }

  #taken(acquire: AcquireMessage): void {
    const lockSpan = this.#spans.get(acquire);
    if (lockSpan) lockSpan.open += 1;
  }

  #extended({ hold, validity, error }: ExtendMessage): void {
    const span = this.#spans.get(hold.acquire)?.span;
    if (error === undefined) span?.addEvent('extended', { 'redlock.validity': (validity ?? 0) / 1_000 });
  }

  #over({ acquire, end, error }: HoldMessage): void {
    const span = this.#spans.get(acquire)?.span;
    if (span && end !== 'released') {
      span.addEvent('lost', { 'redlock.loss.reason': (error as { readonly reason: string }).reason });
      fail(span, errorTypeOf(error));
    }
    this.#close(acquire);
  }

  #close(acquire: AcquireMessage): void {
    const lockSpan = this.#spans.get(acquire);
    if (!lockSpan) return;
    lockSpan.open -= 1;
    if (lockSpan.open > 0) return;
    lockSpan.span.end();
    this.#spans.delete(acquire);
  }
}

/** The message of an error is left out, because it may name a resource. */
function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Returns where the context manager of OpenTelemetry keeps the current context. A channel can run what it wraps in a context only by way of this
 * storage, which the API does not show; where there is none, spans have the right parents and no children.
 */
function storageOfContexts(): AsyncLocalStorage<Context> | undefined {
  const api = context as unknown as { _getContextManager?(): { readonly _asyncLocalStorage?: unknown } };
  // oxlint-disable-next-line eslint/no-underscore-dangle -- names of OpenTelemetry
  const storage = api._getContextManager?.()._asyncLocalStorage;
  return storage instanceof AsyncLocalStorage ? (storage as AsyncLocalStorage<Context>) : undefined;
}
