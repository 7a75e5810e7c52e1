import { context, type Span, trace, type Tracer } from '@opentelemetry/api';
import { type OnceMessage, onces } from '../engine/channels.js';
import { errorTypeOf, type ResourceNaming } from './attributes.js';
import { fail, startSpan, storageOfContexts } from './lock-spans.js';
import type { Subscriptions } from './subscriptions.js';

/** The spans of calls that run once for their key: `once`, which has the lock and the work in it. */
export class OnceSpans {
  readonly #spans = new WeakMap<OnceMessage, Span>();

  constructor(
    private readonly tracer: Tracer,
    private readonly resource: ResourceNaming,
  ) {}

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(onces.start, (message: OnceMessage) => this.#begin(message));
    subscriptions.on(onces.asyncEnd, (message: OnceMessage) => this.#answered(message));
    const contexts = storageOfContexts();
    if (contexts === undefined) return;
    subscriptions.bind(onces.start, contexts, (message: OnceMessage) =>
      trace.setSpan(context.active(), this.#begin(message)),
    );
  }

  #begin(message: OnceMessage): Span {
    const begun = this.#spans.get(message);
    if (begun) return begun;
    const { tracer, resource } = this;
    const span = startSpan({ tracer, resource }, 'once', message, context.active());
    this.#spans.set(message, span);
    return span;
  }

  #answered(message: OnceMessage): void {
    const span = this.#spans.get(message);
    if (!span) return;
    const { outcome = 'error', fencingToken, error } = message;
    span.setAttribute('redlock.once.outcome', outcome);
    if (fencingToken !== undefined) span.setAttribute('redlock.fencing_token', fencingToken);
    if (error !== undefined) fail(span, errorTypeOf(error));
    span.end();
    this.#spans.delete(message);
  }
}
