/**
 * What a span may contain: our own names and numbers, never an address, a person or a row value.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A request as the transport sees it. */
export interface TracedRequest {
  method: string
  header: (name: string) => string | undefined
}

/** Called once the response was sent. */
export interface TracedResponse {
  /** A pattern such as `/tenants/{slug}`, never an address. */
  route: string
  /** Dotted names of the procedures that were called. */
  procedures: readonly string[]
  status: number
  requestId: string
}

/**
 * Traces of what the service does, as OpenTelemetry knows them. Absent (null in the workplace)
 * unless an endpoint is configured, so that it costs nothing then; `open-telemetry.ts` makes one.
 */
export interface Tracing {
  /**
   * Returns a request within a span that goes on with the caller's trace (W3C Trace Context) or
   * begins one.
   */
  request(request: TracedRequest, work: () => Promise<TracedResponse>): Promise<void>
  /**
   * Runs work within a span of its own. A failure is noted by the name of its class and thrown on.
   */
  span<Result>(name: string, facts: SpanAttributes, work: () => Promise<Result>): Promise<Result>
  /**
   * Records something that just ended and took `ms`. Only recorded as a part of another span:
   * background activity has no trace.
   */
  ended(name: string, ms: number, facts: SpanAttributes & { failed?: boolean }): void
  /** Where we are, for log lines; undefined outside of a span. */
  ids(): { traceId: string; spanId: string } | undefined
  /**
   * `traceparent` and `tracestate` for a system that may know where the call comes from; none
   * outside of a span.
   */
  headers(): Record<string, string>
  /** Sends what was noted, for at most five seconds. */
  stop(): Promise<void>
}
