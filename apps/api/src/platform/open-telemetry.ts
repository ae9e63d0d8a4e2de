import { version } from '@atrium/core/platform/version'
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { SpanAttributes, Tracing } from './tracing.ts'

export interface TracingConfig {
  /** Base address of an OTLP/HTTP collector; traces go to `v1/traces` below it. */
  endpoint: string
  /** Sent along, for a collector that asks for a credential. */
  headers: Readonly<Record<string, string>>
  serviceName: string
  /**
   * Share of traces begun here that are kept, 0 to 1. A caller that has begun one decides for it.
   */
  ratio: number
}

/** How long noted spans wait for company. */
const sendEveryMs = 2_000

/**
 * Traces with OpenTelemetry's own SDK. Loaded only where an endpoint is set: it would add to start
 * and memory of every process.
 */
export function createOpenTelemetry(config: TracingConfig): Tracing {
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', withSlash(config.endpoint)).href,
    headers: { ...config.headers },
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendEveryMs, maxQueueSize: 4_096 }),
    ],
  })
  // Both are ours alone and not registered for the process, so that two apps in one process do not
  // write into each other's traces.
  const contexts = new AsyncLocalStorageContextManager()
  const propagator = new W3CTraceContextPropagator()
  const tracer = provider.getTracer('atrium', version)

  function within<Result>(
    parent: Context,
    name: string,
    kind: SpanKind,
    facts: SpanAttributes,
    work: (span: SpanHandle) => Promise<Result>,
  ) {
    const span = tracer.startSpan(name, { kind, attributes: known(facts) }, parent)
    return contexts.with(trace.setSpan(parent, span), async () => {
      try {
        return await work(span)
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    })
  }

  return {
    async request({ method, header }, work) {
      const caller = propagator.extract(ROOT_CONTEXT, header, {
        get: (from, name) => from(name),
        keys: () => propagator.fields(),
      })
      await within(
        caller,
        method,
        SpanKind.SERVER,
        { 'http.request.method': method },
        async (span) => {
          const { route, procedures, status, requestId } = await work()
          span.updateName(`${method} ${route}`)
          span.setAttributes(
            known({
              'http.route': route,
              'http.response.status_code': status,
              'rpc.method': procedures.length > 0 ? procedures.join(',') : undefined,
              'atrium.request_id': requestId,
            }),
          )
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        },
      )
    },
    span: (name, facts, work) => within(contexts.active(), name, SpanKind.INTERNAL, facts, work),
    ended(name, ms, { failed = false, ...facts }) {
      const parent = contexts.active()
      if (!trace.getSpan(parent)) return
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.CLIENT, attributes: known(facts), startTime: Date.now() - ms },
        parent,
      )
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    ids() {
      const context = trace.getSpan(contexts.active())?.spanContext()
      return context && { traceId: context.traceId, spanId: context.spanId }
    },
    headers() {
      const carrier: Record<string, string> = {}
      propagator.inject(contexts.active(), carrier, {
        set: (into: Record<string, string>, name, value) => Object.assign(into, { [name]: value }),
      })
      return carrier
    },
    async stop() {
      const late = new Promise<void>((done) => setTimeout(done, 5_000).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

type SpanHandle = ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>

function known(facts: SpanAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`
}
