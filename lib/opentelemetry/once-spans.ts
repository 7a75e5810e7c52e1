import { context, isSpanContextValid, type Span, type SpanContext, trace, type Tracer } from '@opentelemetry/api';
import { type OnceMessage, onces } from '../engine/channels.js';
import { errorTypeOf, type ResourceNaming } from './attributes.js';
import { fail, startSpan, storageOfContexts } from './lock-spans.js';
import type { Subscriptions } from './subscriptions.js';

/** The spans of calls that run once for their key: `once`, which has the lock and the work in it, and of a replay a link to the span of the run. */
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
    message.traceparent = traceparentOf(span.spanContext());
    return span;
  }

  #answered(message: OnceMessage): void {
    const span = this.#spans.get(message);
    if (!span) return;
    const { outcome = 'error', fencingToken, error, firstTraceparent } = message;
    const first = spanContextOf(firstTraceparent);
    if (first !== undefined) span.addLink({ context: first });
    span.setAttribute('redlock.once.outcome', outcome);
    if (fencingToken !== undefined) span.setAttribute('redlock.fencing_token', fencingToken);
    if (error !== undefined) fail(span, errorTypeOf(error));
    span.end();
    this.#spans.delete(message);
  }
}

/** Returns a span in the form of the W3C header `traceparent`; undefined if nobody records spans. */
function traceparentOf(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

function spanContextOf(traceparent = ''): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent) ?? [];
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true } : undefined;
}
