/** Series by name, with values of one minute each in the notation of `promtool test rules`. */
export type Series = Readonly<Record<string, string>>

/**
 * What a rule of alerts.yaml is for, and the nearest thing that it must not fire at, after two
 * hours.
 */
export interface AlertCase {
  fires: Series
  quiet: Series
  /** Labels of the alert besides its severity. */
  labels?: Readonly<Record<string, string>>
}

const requests = (status: string) =>
  `http_request_duration_seconds_count{job="atrium-api",status="${status}"}`
const within = (seconds: string, route = '/tenants') =>
  `http_request_duration_seconds_bucket{job="atrium-api",route="${route}",le="${seconds}"}`
const disk = (what: 'avail' | 'size', mountpoint: string, fstype: string) =>
  `node_filesystem_${what}_bytes{mountpoint="${mountpoint}",fstype="${fstype}"}`

export const alertCases: Readonly<Record<string, AlertCase>> = {
  AtriumProcessDown: {
    fires: {
      'up{job="atrium-api",instance="a"}': '1x200',
      'up{job="atrium-portal",instance="b"}': '1x3 0x200',
    },
    quiet: { 'up{job="atrium-api",instance="a"}': '1x200', 'up{job="authentik"}': '0x200' },
    labels: { job: 'atrium-portal', instance: 'b' },
  },
  AtriumErrors: {
    fires: { [requests('200')]: '0+95x200', [requests('502')]: '0+5x200' },
    quiet: { [requests('200')]: '0+1000x200', [requests('502')]: '0+5x200' },
  },
  AtriumSlow: {
    fires: { [within('1')]: '0+90x200', [within('5')]: '0+100x200', [within('+Inf')]: '0+100x200' },
    // A stream of events lasts as long as somebody listens.
    quiet: {
      [within('1')]: '0+100x200',
      [within('+Inf')]: '0+100x200',
      [within('1', '/tenants/{slug}/events')]: '0+1x200',
      [within('+Inf', '/tenants/{slug}/events')]: '0+100x200',
    },
  },
  AtriumPoolExhausted: {
    fires: { 'database_connections{state="waiting",instance="a"}': '2x200' },
    quiet: {
      'database_connections{state="waiting",instance="a"}': '0x200',
      'database_connections{state="busy",instance="a"}': '10x200',
    },
    labels: { instance: 'a' },
  },
  AtriumReplicaBehind: {
    fires: { database_replica_lag_seconds: '120x200' },
    quiet: { database_replica_lag_seconds: '20x200' },
  },
  AtriumOutsideSystemDown: {
    fires: {
      'outside_system_up{system="mail",instance="a"}': '1x200',
      'outside_system_up{system="mail",instance="b"}': '0x200',
    },
    quiet: { 'outside_system_up{system="mail",instance="a"}': '1x200' },
    labels: { system: 'mail' },
  },
  AtriumCircuitOpen: {
    fires: { 'upstream_circuit_open{system="mail"}': '1x200' },
    quiet: { 'upstream_circuit_open{system="mail"}': '0x200' },
    labels: { system: 'mail' },
  },
  AtriumJobsStandStill: {
    fires: { 'job_queue_oldest_seconds{queue="mails"}': '400x200' },
    quiet: { 'job_queue_oldest_seconds{queue="mails"}': '200x200' },
    labels: { queue: 'mails' },
  },
  AtriumJobsFail: {
    fires: { 'jobs_total{queue="mails",outcome="failed"}': '0+1x200' },
    quiet: {
      'jobs_total{queue="mails",outcome="failed"}': '9x200',
      'jobs_total{queue="mails",outcome="done"}': '0+9x200',
    },
    labels: { queue: 'mails' },
  },
  AtriumWorkWaits: {
    fires: { 'backlog_oldest_seconds{kind="mails"}': '4000x200' },
    quiet: { 'backlog_oldest_seconds{kind="mails"}': '3000x200' },
    labels: { kind: 'mails' },
  },
  AtriumWorkGivenUp: {
    fires: { 'backlog_items{kind="mails",state="gave_up"}': '1x200' },
    quiet: {
      'backlog_items{kind="mails",state="gave_up"}': '0x200',
      'backlog_items{kind="mails",state="waiting"}': '9x200',
    },
    labels: { kind: 'mails' },
  },
  AtriumAuditLost: {
    fires: { audit_write_failures_total: '0+1x200' },
    quiet: { audit_write_failures_total: '3x200' },
  },
  AtriumReportsWrong: {
    fires: { report_faults_total: '4x200', report_drift: '1x200' },
    quiet: { report_faults_total: '4x200', report_drift: '0x200' },
  },
  AtriumCalendarsGivenUp: {
    fires: { 'booking_calendars_lagging{state="failed"}': '1x200' },
    quiet: {
      'booking_calendars_lagging{state="failed"}': '0x200',
      'booking_calendars_lagging{state="waiting"}': '3x200',
    },
  },
  AtriumFlagRolledBack: {
    fires: { flag_rollbacks_total: '0+1x200' },
    quiet: { flag_rollbacks_total: '1x200' },
  },
  AtriumAddressDown: {
    fires: { 'probe_success{instance="https://id.test"}': '1x3 0x200' },
    quiet: { 'probe_success{instance="https://id.test"}': '1x110 0x3 1x100' },
    labels: { instance: 'https://id.test' },
  },
  // `promtool` begins at 1970.
  AtriumCertificateExpires: {
    fires: { 'probe_ssl_earliest_cert_expiry{instance="mail.test:465"}': `${10 * 86_400}x200` },
    quiet: { 'probe_ssl_earliest_cert_expiry{instance="mail.test:465"}': `${20 * 86_400}x200` },
    labels: { instance: 'mail.test:465' },
  },
  AtriumBackupOld: {
    fires: { 'backup_last_success_timestamp_seconds{backup="files"}': `-${27 * 3600}x200` },
    quiet: { 'backup_last_success_timestamp_seconds{backup="files"}': `-${23 * 3600}x200` },
    labels: { backup: 'files' },
  },
  AtriumArchiveFails: {
    fires: { database_archive_failing: '1x200' },
    quiet: { database_archive_failing: '0x200' },
  },
  AtriumDiskFull: {
    fires: { [disk('avail', '/', 'ext4')]: '5x200', [disk('size', '/', 'ext4')]: '100x200' },
    quiet: {
      [disk('avail', '/', 'ext4')]: '50x200',
      [disk('size', '/', 'ext4')]: '100x200',
      [disk('avail', '/run', 'tmpfs')]: '0x200',
      [disk('size', '/run', 'tmpfs')]: '100x200',
    },
    labels: { mountpoint: '/' },
  },
  AtriumEventLoopBlocked: {
    fires: { 'nodejs_eventloop_lag_p99_seconds{job="atrium-api",instance="a"}': '0.5x200' },
    quiet: { 'nodejs_eventloop_lag_p99_seconds{job="atrium-api",instance="a"}': '0.1x200' },
    labels: { instance: 'a' },
  },
}
