import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const deploy = join(import.meta.dirname, '../../../deploy')

let testApp: TestApp
let exposed: string
beforeAll(async () => {
  testApp = await startTestApp({ started: true })
  const { registry } = testApp.app.services.metrics
  testApp.app.services.metrics.collectProcess()
  await testApp.request('GET', '/tenants', { token: await testApp.token('operator@atrium.test') })
  exposed = await registry.metrics()
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

/**
 * Names of metrics in an expression: what is neither a function, a label, a keyword, a duration nor
 * a text.
 */
function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
  return [...bare.matchAll(/\b[a-z][a-z0-9_]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !['or', 'and', 'unless', 'up'].includes(name))
}

/** Series that the service really exposes, the parts of histograms included. */
function known(): Set<string> {
  const names = new Set<string>()
  for (const [, name = '', type] of exposed.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      names.add(`${name}${part}`)
  }
  return names
}

/** Labels that an expression picks or groups by. */
function labelsOf(expression: string): string[] {
  const picked = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, name = '']) => name),
  )
  const grouped = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, inside = '']) =>
    inside.split(',').map((name) => name.trim()),
  )
  return [...picked, ...grouped].filter((name) => !['instance', 'job', 'le'].includes(name))
}

/** Series of the exporters in compose.yaml; `pnpm deployment prometheus` tries their rules. */
const fromExporters = /^(?:probe|node|backup)_/

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

async function alerts(): Promise<Rule[]> {
  const file = parse(await readFile(join(deploy, 'prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[]
  }
  return file.groups.flatMap(({ rules }) => rules)
}

async function panels(): Promise<{ title: string; expr: string }[]> {
  const board = JSON.parse(await readFile(join(deploy, 'grafana/atrium.json'), 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[]
  }
  return board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  )
}

describe('the runbooks', () => {
  it('have a section for each rule and no other, and each rule links to its own', async () => {
    const path = 'docs/how-to/runbooks.md'
    const text = await readFile(join(deploy, '..', path), 'utf8')
    const [, ...sections] = text.split(/^## /m)
    const rules = await alerts()
    expect(sections.map((section) => section.split('\n')[0])).toEqual(
      rules.map(({ alert }) => alert),
    )
    for (const [at, { alert, labels, annotations }] of rules.entries()) {
      expect(annotations.runbook).toBe(`${path}#${alert.toLowerCase()}`)
      expect(sections[at], alert).toContain(`**Means** (${labels.severity}): `)
      expect(sections[at], alert).toMatch(/^\*\*Look\*\* /m)
      expect(sections[at], alert).toMatch(/\*\*(Do|do)\*\*/)
    }
  })

  it('name series that the service has', async () => {
    const text = await readFile(join(deploy, '../docs/how-to/runbooks.md'), 'utf8')
    const named = [...text.matchAll(/`([a-z]+(?:_[a-z0-9]+){2,})`/g)].map(([, name = '']) => name)
    const series = named.filter((name) => !name.startsWith('pg_'))
    expect(series.length).toBeGreaterThan(4)
    const names = new Set([...exposed.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
    for (const name of series) expect(names).toContain(name.replace(/_(count|bucket)$/, ''))
  })
})

describe('what the metrics port tells', () => {
  it('has what a dashboard needs', () => {
    for (const line of [
      /^http_request_duration_seconds_count\{method="GET",route="\/tenants",status="200"\} 1$/,
      /^job_queue_jobs\{queue="provisioning",state="waiting"\} \d+$/,
      /^backlog_items\{kind="mails",state="gave_up"\} 0$/,
      // The queries of the metrics themselves wait for nobody.
      /^database_connections\{state="waiting"\} 0$/,
      /^outside_system_up\{system="identity"\} 1$/,
      /^nodejs_eventloop_lag_p99_seconds /,
    ])
      expect(
        exposed.split('\n').some((one) => line.test(one)),
        String(line),
      ).toBe(true)
  })
})

describe.each([
  ['the dashboard', panels, 20],
  [
    'the alerts',
    async () => (await alerts()).map(({ alert, expr }) => ({ title: alert, expr })),
    12,
  ],
])('%s', (_, read, least) => {
  it('asks only for metrics and labels that are there', async () => {
    const asked = (await read()).filter(
      ({ expr }) => !metricsOf(expr).some((name) => fromExporters.test(name)),
    )
    expect(asked.length).toBeGreaterThan(least)
    for (const { title, expr } of asked) {
      const names = metricsOf(expr)
      if (expr.startsWith('up{')) continue
      expect(names.length, title).toBeGreaterThan(0)
      for (const name of names) expect(known(), title).toContain(name)
    }
    const labels = new Set(await labelNames())
    for (const { title, expr } of asked)
      for (const label of labelsOf(expr)) expect(labels, `${title}: ${label}`).toContain(label)
  })
})

/** Of all metrics, those without a series yet included. */
async function labelNames(): Promise<string[]> {
  const { registry } = testApp.app.services.metrics
  return registry
    .getMetricsAsArray()
    .flatMap((metric) => ('labelNames' in metric ? (metric.labelNames as string[]) : []))
    .concat('method', 'route', 'status')
}

it('alerts say how urgent they are and what to do', async () => {
  for (const { alert, labels, annotations } of await alerts()) {
    expect(['page', 'ticket'], alert).toContain(labels.severity)
    expect(annotations.summary.length, alert).toBeGreaterThan(20)
  }
})
