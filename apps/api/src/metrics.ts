import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics of one process, served on a port of their own. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route pattern and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  // To find the series of a set of labels costs more than to count in it.
  const series = new Map<string, ReturnType<typeof requests.labels>>()
  return {
    registry,
    /** Counts an answered request. `route` is a pattern such as `/tenants/{slug}`, never an address. */
    observeRequest(method: string, route: string, status: number, seconds: number): void {
      const key = `${method} ${route} ${status}`
      let found = series.get(key)
      if (!found) {
        found = requests.labels({ method, route, status: String(status) })
        series.set(key, found)
      }
      found.observe(seconds)
    },
    collectProcess: () => collectDefaultMetrics({ register: registry }),
    upstreamCalls: new Histogram({
      name: 'upstream_call_duration_seconds',
      help: 'Time of a call to an outside system, by system, operation and outcome',
      labelNames: ['system', 'call', 'outcome'] as const,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    provisioningSteps: new Counter({
      name: 'provisioning_steps_total',
      help: 'Provisioning steps that ended, by step and state',
      labelNames: ['step', 'state'] as const,
      registers,
    }),
    jobs: new Counter({
      name: 'jobs_total',
      help: 'Background jobs that ended, by queue and outcome',
      labelNames: ['queue', 'outcome'] as const,
      registers,
    }),
    auditWriteFailures: new Counter({ name: 'audit_write_failures_total', help: 'Audit entries that could not be written', registers }),
    watchers: new Gauge({ name: 'tenant_watchers', help: 'Open streams of provisioning progress', registers }),
  }
}
