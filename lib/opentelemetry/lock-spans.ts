import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import {
  type AcquireMessage,
  acquiring,
  type CallMessage,
  extending,
  type ExtendMessage,
  holding,
  type HoldMessage,
  working,
} from '../engine/channels.js';
import { attributesOf, errorTypeOf, type ResourceNaming } from './attributes.js';
import type { Subscriptions } from './subscriptions.js';
import { wallNow } from '../engine/native-timers.js';

/** A call for a lock, or a lock. */
interface LockSpan {
  readonly span: Span;
  /** What was current when the lock was asked for. */
  readonly parent: Context;
  /** Ms since the epoch. */
  readonly began: number;
}

/** The spans of locks: `acquire`, and beside it `hold`, which has the work, the extensions and the release in it. */
export class LockSpans {
  readonly #acquires = new WeakMap<AcquireMessage, LockSpan>();
  readonly #holds = new WeakMap<HoldMessage, LockSpan>();
  readonly #extensions = new WeakMap<ExtendMessage, Span>();

  constructor(
    private readonly tracer: Tracer,
    private readonly resource: ResourceNaming,
  ) {}

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(acquiring.start, (message: AcquireMessage) => this.#acquire(message));
    subscriptions.on(acquiring.asyncEnd, (message: AcquireMessage) => this.#answered(message));
    subscriptions.on(holding.start, (message: HoldMessage) => this.#taken(message));
    subscriptions.on(holding.asyncEnd, (message: HoldMessage) => this.#over(message));
    subscriptions.on(extending.start, (message: ExtendMessage) => this.#extend(message));
    subscriptions.on(extending.asyncEnd, (message: ExtendMessage) => this.#extended(message));
    const contexts = storageOfContexts();
    if (contexts === undefined) return;
    subscriptions.bind(acquiring.start, contexts, (message: AcquireMessage) =>
      trace.setSpan(context.active(), this.#acquire(message).span),
    );
    subscriptions.bind(working, contexts, (message: HoldMessage) => this.#inside(message, context.active()));
    // An extension is asked for by a timer, whose own context is none of this lock.
    subscriptions.bind(extending.start, contexts, (message: ExtendMessage) => {
      const span = this.#extend(message);
      return span ? trace.setSpan(context.active(), span) : context.active();
    });
  }

  #acquire(message: AcquireMessage): LockSpan {
    const begun = this.#acquires.get(message);
    if (begun) return begun;
    const parent = context.active();
    const lockSpan = { span: this.#start('acquire', message, parent), parent, began: wallNow() };
    this.#acquires.set(message, lockSpan);
    return lockSpan;
  }

  #answered(message: AcquireMessage): void {
    const lockSpan = this.#acquires.get(message);
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
    span.end();
    this.#acquires.delete(message);
  }

  #taken(message: HoldMessage): void {
    const acquire = this.#acquires.get(message.acquire);
    if (!acquire) return;
    const span = this.#start('hold', message, acquire.parent);
    span.setAttribute('redlock.fencing_token', message.fencingToken);
    this.#holds.set(message, { ...acquire, span });
  }

  #over(message: HoldMessage): void {
    const span = this.#holds.get(message)?.span;
    if (!span) return;
    const { end, error } = message;
    if (end !== 'released') {
      span.addEvent('lost', { 'redlock.loss.reason': (error as { readonly reason: string }).reason });
      fail(span, errorTypeOf(error));
    }
    span.end();
    this.#holds.delete(message);
  }

  #extend(message: ExtendMessage): Span | undefined {
    const hold = this.#holds.get(message.hold);
    const begun = this.#extensions.get(message);
    if (begun || !hold) return begun;
    const span = this.#start('extend', message, this.#inside(message.hold, hold.parent));
    this.#extensions.set(message, span);
    return span;
  }

  #extended(message: ExtendMessage): void {
    const span = this.#extensions.get(message);
    if (!span) return;
    const { validity, error } = message;
    if (error === undefined) span.setAttribute('redlock.validity', (validity ?? 0) / 1_000);
    else fail(span, errorTypeOf(error));
    span.end();
    this.#extensions.delete(message);
  }

  /** The context of what belongs to a lock. */
  #inside(hold: HoldMessage, around: Context): Context {
    const span = this.#holds.get(hold)?.span;
    return span ? trace.setSpan(around, span) : around;
  }

  #start(operation: string, message: CallMessage, parent: Context): Span {
    const { tracer, resource } = this;
    return startSpan({ tracer, resource }, operation, message, parent);
  }
}

/** Starts a span that is named by its operation and the template of its call. */
export function startSpan(
  { tracer, resource }: { readonly tracer: Tracer; readonly resource: ResourceNaming },
  operation: string,
  message: CallMessage,
  parent: Context,
): Span {
  const { template, resources } = message;
  const attributes: Attributes = attributesOf(message, resource);
  if (resource === 'value') attributes['redlock.resource'] = [...resources];
  const name = template === undefined || resource === 'none' ? operation : `${operation} ${template}`;
  return tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent);
}

/** The message of an error is left out, because it may name a resource. */
export function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Returns where the context manager of OpenTelemetry keeps the current context. A channel can run what it wraps in a context only by way of this
 * storage, which the API does not show; if there is none, spans have the right parents and no children.
 */
export function storageOfContexts(): AsyncLocalStorage<Context> | undefined {
  const api = context as unknown as { _getContextManager?(): { readonly _asyncLocalStorage?: unknown } };
  // oxlint-disable-next-line eslint/no-underscore-dangle -- names of OpenTelemetry
  const storage = api._getContextManager?.()._asyncLocalStorage;
  return storage instanceof AsyncLocalStorage ? (storage as AsyncLocalStorage<Context>) : undefined;
}
