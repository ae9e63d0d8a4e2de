import { commit, version } from '@atrium/core/platform/version'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics of one process, served on a port of their own. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the labels name the version, and the commit that the process was built from',
    labelNames: ['version', 'commit'] as const,
    registers,
  }).set({ version, commit: commit ?? 'none' }, 1)
  return {
    registry,
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request, by route pattern and status',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    collectProcess: () => collectDefaultMetrics({ register: registry }),
    upstreamCalls: new Histogram({
      name: 'upstream_call_duration_seconds',
      help: 'Time of a call to an upstream system, by system, operation and outcome',
      labelNames: ['system', 'call', 'outcome'] as const,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    openCircuits: new Gauge({
      name: 'upstream_circuit_open',
      help: 'Whether calls to an upstream system are held back because it failed many times in a row',
      labelNames: ['system'] as const,
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
    mails: new Counter({
      name: 'outbox_mails_total',
      help: 'Tries to send a mail, by template and outcome',
      labelNames: ['template', 'outcome'] as const,
      registers,
    }),
    calendarWrites: new Counter({
      name: 'booking_calendar_writes_total',
      help: "Tries to bring a booking into a host's calendar, by outcome",
      labelNames: ['outcome'] as const,
      registers,
    }),
    flagRollbacks: new Counter({
      name: 'flag_rollbacks_total',
      help: 'Flags that one of their guard rules turned off, by signal',
      labelNames: ['signal'] as const,
      registers,
    }),
    webhooks: new Counter({
      name: 'payment_events_total',
      help: 'Events of the payment processor that came, and what became of them',
      labelNames: ['outcome'] as const,
      registers,
    }),
    replicaReads: new Counter({
      name: 'database_replica_reads_total',
      help: 'Reads that a copy of the database may answer, by where they went: replica, or the first server because it was behind or unreachable',
      labelNames: ['where'] as const,
      registers,
    }),
    auditWriteFailures: new Counter({
      name: 'audit_write_failures_total',
      help: 'Audit entries that could not be written',
      registers,
    }),
    reportFaults: new Counter({
      name: 'report_faults_total',
      help: 'Reports that were not answered because their figures did not agree with each other',
      registers,
    }),
    reportDrift: new Gauge({
      name: 'report_drift',
      help: 'Figures that the last comparison with the subscription history found wrong, before they were recomputed',
      registers,
    }),
    watchers: new Gauge({
      name: 'tenant_watchers',
      help: 'Open streams of provisioning progress',
      registers,
    }),
  }
}
