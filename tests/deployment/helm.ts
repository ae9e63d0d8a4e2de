import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { readConfig } from '@atrium/api/platform/config'
import { readAppConfig } from '@atrium/bff/config'
import { readBookingConfig } from '@atrium/booking/config'
import { parse, parseAllDocuments } from 'yaml'
import type { Check } from './check.ts'
import { outputOf } from './program-output.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const chart = join(deploy, 'helm')
const example = join(chart, 'examples/values.yaml')
const apps = ['api', 'portal', 'operator', 'booking'] as const
/** One that the chart supports; the program's own default is that of its build. */
const kubernetes = '1.34.0'

// biome-ignore lint/suspicious/noExplicitAny: manifests are read as they come
type Manifest = any

/** Lints the chart, renders it, and compares what it renders with the programs that it starts. */
export async function checkChart(helm: string): Promise<Check[]> {
  const run = promisify(execFile)
  const template = async (...args: string[]): Promise<Manifest[]> => {
    const { stdout } = await run(
      helm,
      ['template', 'atrium', chart, '--namespace', 'atrium', '--kube-version', kubernetes, ...args],
      { maxBuffer: 16 * 1024 * 1024 },
    )
    return parseAllDocuments(stdout)
      .map((document) => document.toJS())
      .filter((manifest) => manifest !== null)
  }
  const linted = await outputOf(run(helm, ['lint', '--strict', chart, '--values', example]))
  const bare = await outputOf(
    run(helm, ['template', 'atrium', chart, '--kube-version', kubernetes]),
  )
  const all = await template('--values', example)
  const fewer = await template(
    ...[
      '--values',
      example,
      '--set',
      'externalSecrets.enabled=false,podMonitor.enabled=false,prometheusRule.enabled=false',
    ],
    ...apps.flatMap((app) => ['--set', `autoscaling.${app}.enabled=false`]),
    ...['--set', 'ingress.enabled=false,networkPolicy.enabled=false'],
  )
  return [
    { what: 'helm lint --strict', measured: linted.lastLine, holds: linted.ok },
    {
      what: 'without registry and names nothing is rendered, and the schema says why',
      measured: bare.lastLine,
      holds: !bare.ok && /registry/.test(bare.text) && /portal/.test(bare.text),
    },
    checkPods(all),
    checkSecrets(all),
    checkReferences(all),
    checkScaling(all, fewer),
    checkNetwork(all),
    {
      what: 'parts that are off are not rendered',
      measured: [...new Set(fewer.map(({ kind }) => kind))].sort().join(', '),
      holds: !fewer.some(({ kind }) =>
        ['ExternalSecret', 'PodMonitor', 'PrometheusRule', 'Ingress', 'NetworkPolicy'].includes(
          kind,
        ),
      ),
    },
    await checkRules(all),
    await checkSettings(all),
  ]
}

const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind)

/** Pod templates of deployments and the migration, by the name of their program. */
function podsOf(manifests: readonly Manifest[]): Map<string, Manifest> {
  return new Map(
    [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')].map(({ spec }) => [
      spec.template.metadata.labels['app.kubernetes.io/component'],
      spec.template,
    ]),
  )
}

function found(what: string, faults: readonly string[], fine: string): Check {
  return { what, measured: faults.join('; ') || fine, holds: faults.length === 0 }
}

function checkPods(manifests: readonly Manifest[]): Check {
  const pods = podsOf(manifests)
  const faults = [...pods].flatMap(([name, { spec }]) => {
    const [container] = spec.containers
    const { securityContext: own } = container
    const hardened =
      spec.securityContext.runAsNonRoot === true &&
      spec.automountServiceAccountToken === false &&
      spec.enableServiceLinks === false &&
      own.readOnlyRootFilesystem === true &&
      own.allowPrivilegeEscalation === false &&
      isDeepStrictEqual(own.capabilities, { drop: ['ALL'] })
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (probe) => container[probe]?.httpGet?.path,
    )
    const probed =
      name === 'migrate' || isDeepStrictEqual(probes, ['/health', '/health', '/health/ready'])
    return [
      ...(hardened ? [] : [`${name} is not hardened`]),
      ...(probed ? [] : [`${name} has the probes ${probes.join(', ')}`]),
      ...(container.resources.limits?.memory ? [] : [`${name} has no memory limit`]),
    ]
  })
  if (pods.size !== apps.length + 1) faults.push(`${pods.size} pods`)
  return found(
    'pods run as an ordinary user on a read-only root, probed, within a memory limit',
    faults,
    [...pods.keys()].join(', '),
  )
}

function checkSecrets(manifests: readonly Manifest[]): Check {
  const made = ofKind(manifests, 'ExternalSecret').map(({ spec }) => spec.target.name as string)
  const used = [...podsOf(manifests)].map(([name, { spec }]) => [
    name,
    spec.containers[0].envFrom.flatMap((source: Manifest) => source.secretRef?.name ?? []),
  ])
  const faults = used
    .filter(([, names]) => names.length !== 1 || !made.includes(names[0]))
    .map(([name, names]) => `${name} reads ${names.join(', ') || 'none'}`)
  const distinct = new Set(used.flatMap(([, names]) => names))
  if (distinct.size !== used.length) faults.push('two programs share a secret')
  return found(
    'each program reads one secret of its own, which External Secrets makes',
    faults,
    [...distinct].join(', '),
  )
}

/** Names that one manifest uses for another one. */
function checkReferences(manifests: readonly Manifest[]): Check {
  const pods = podsOf(manifests)
  const namesOf = (kind: string) => ofKind(manifests, kind).map(({ metadata }) => metadata.name)
  const selects = (labels: Record<string, string>) =>
    [...pods.values()].filter(({ metadata }) =>
      Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
    )
  const faults = [
    ...[...pods].flatMap(([name, { spec }]) =>
      spec.containers[0].envFrom
        .flatMap((source: Manifest) => source.configMapRef?.name ?? [])
        .filter((map: string) => !namesOf('ConfigMap').includes(map))
        .map((map: string) => `${name} reads ${map}`),
    ),
    ...ofKind(manifests, 'Service').flatMap(({ metadata, spec }) => {
      const [pod] = selects(spec.selector)
      const [{ port }] = spec.ports
      const open = pod?.spec.containers[0].ports.find(({ name }: Manifest) => name === 'http')
      return open?.containerPort === port ? [] : [`service ${metadata.name} leads nowhere`]
    }),
    ...ofKind(manifests, 'PodDisruptionBudget').flatMap(({ metadata, spec }) =>
      selects(spec.selector.matchLabels).length === 1 ? [] : [`budget ${metadata.name}`],
    ),
    ...ofKind(manifests, 'Ingress').flatMap(({ spec }) =>
      spec.rules.flatMap(({ host, http }: Manifest) =>
        spec.tls[0].hosts.includes(host) &&
        namesOf('Service').includes(http.paths[0].backend.service.name)
          ? []
          : [`ingress of ${host}`],
      ),
    ),
  ]
  for (const kind of ['Service', 'PodDisruptionBudget'])
    if (namesOf(kind).length !== apps.length) faults.push(`${namesOf(kind).length} of ${kind}`)
  return found('what a manifest names is there', faults, `${manifests.length} manifests`)
}

function checkScaling(all: readonly Manifest[], fewer: readonly Manifest[]): Check {
  const scaled = ofKind(all, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
  const faults = [...ofKind(all, 'Deployment'), ...ofKind(fewer, 'Deployment')].flatMap(
    (deployment, at) => {
      const automatic = at < apps.length && scaled.includes(deployment.metadata.name)
      // An upgrade would otherwise set back what the autoscaler chose.
      const right = automatic ? !('replicas' in deployment.spec) : deployment.spec.replicas >= 2
      const strategy = deployment.spec.strategy.rollingUpdate.maxUnavailable === 0
      return right && strategy ? [] : [`${deployment.metadata.name}: ${deployment.spec.replicas}`]
    },
  )
  if (scaled.length === 0) faults.push('nothing is scaled')
  if (ofKind(fewer, 'HorizontalPodAutoscaler').length > 0) faults.push('scaled though it is off')
  return found('the number of pods is set by one side only', faults, `scaled: ${scaled.join(', ')}`)
}

function checkNetwork(manifests: readonly Manifest[]): Check {
  const policies = new Map<string, Manifest>(
    ofKind(manifests, 'NetworkPolicy').map(({ spec }) => [
      spec.podSelector.matchLabels['app.kubernetes.io/component'],
      spec,
    ]),
  )
  const portsTo = (app: string): number[] =>
    policies
      .get(app)
      ?.egress.flatMap(({ ports }: Manifest) => ports.map(({ port }: Manifest) => port)) ?? []
  const faults = [...podsOf(manifests).keys()].flatMap((name) => {
    const policy = policies.get(name)
    if (!isDeepStrictEqual(policy?.policyTypes, ['Ingress', 'Egress'])) return [`${name} is open`]
    // An empty list of sources or targets would mean all of them.
    const unlimited = policy.ingress.some(({ from }: Manifest) => !from || from.length === 0)
    return unlimited ? [`${name} takes connections from anywhere`] : []
  })
  if (portsTo('booking').includes(5432)) faults.push('the booking pages reach the database')
  if (!isDeepStrictEqual(portsTo('migrate'), [53, 53, 5432]))
    faults.push(`the migration reaches ${portsTo('migrate').join(', ')}`)
  for (const app of ['api', 'portal', 'operator'])
    if (!portsTo(app).includes(5432)) faults.push(`${app} does not reach the database`)
  return found('each pod has a policy, and reaches what it needs', faults, `${policies.size}`)
}

async function checkRules(all: readonly Manifest[]): Promise<Check> {
  const file = parse(await readFile(join(deploy, 'prometheus/alerts.yaml'), 'utf8'))
  const rules = all.filter(({ kind }) => kind === 'PrometheusRule')
  return {
    what: 'the alerts are those of alerts.yaml',
    measured: `${rules[0]?.spec.groups[0]?.rules.length ?? 0} rules`,
    holds: rules.length === 1 && isDeepStrictEqual(rules[0].spec, file),
  }
}

/**
 * The programs read the settings themselves: secrets from their examples, the rest from the chart.
 */
/** The port of a program's pod on which the Prometheus Operator reads metrics. */
function monitoredPort(manifests: readonly Manifest[], app: string): number | undefined {
  const monitor = ofKind(manifests, 'PodMonitor').find(
    ({ spec }) => spec.selector.matchLabels['app.kubernetes.io/component'] === app,
  )
  const name = monitor?.spec.podMetricsEndpoints[0].port
  const [container] = podsOf(manifests).get(app)?.spec.containers ?? []
  return container?.ports.find((port: Manifest) => port.name === name)?.containerPort
}

async function checkSettings(manifests: readonly Manifest[]): Promise<Check> {
  const read = {
    api: readConfig,
    portal: (env: Record<string, string>) => readAppConfig('portal', env),
    operator: (env: Record<string, string>) => readAppConfig('operator', env),
    booking: readBookingConfig,
  }
  const faults: string[] = []
  for (const app of apps) {
    const map = ofKind(manifests, 'ConfigMap').find(
      ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === app,
    )
    const text = await readFile(join(deploy, `env/${app}.env.example`), 'utf8')
    const secrets = [...text.matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value]) => [
      name,
      value,
    ])
    const port = { api: '4000', portal: '4100', operator: '4200', booking: '4300' }[app]
    const env = Object.fromEntries(
      Object.entries({ ...Object.fromEntries(secrets), ...map?.data, PORT: port }).map(
        ([name, value]) => [name, filled(name, String(value))],
      ),
    )
    try {
      const { metricsPort } = read[app]({ ...env, NODE_ENV: 'production' })
      const monitored = monitoredPort(manifests, app)
      if (metricsPort !== monitored)
        faults.push(`${app}: has its metrics on ${metricsPort}, and is read on ${monitored}`)
    } catch (error) {
      faults.push(`${app}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return found('the programs accept the settings that the chart gives them', faults, 'all four')
}

function filled(name: string, value: string): string {
  if (name === 'ENCRYPTION_KEYS') return `first:${randomBytes(32).toString('base64')}`
  return value
    .replaceAll('example.com', 'atrium.test')
    .replaceAll('change-me', randomBytes(24).toString('hex'))
}
