import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { alertCases, type Series } from './alert-cases.ts'
import type { Check } from './check.ts'
import { outputOf } from './program-output.ts'

const folder = join(import.meta.dirname, '../../deploy/prometheus')
const rulesFile = join(folder, 'alerts.yaml')

interface Rule {
  alert: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

/**
 * Each rule of alerts.yaml fires at what it is for and at nothing else, by Prometheus' own tests.
 */
export async function checkAlerts(promtool: string, blackbox: string): Promise<Check[]> {
  const rules = (
    parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
  ).groups.flatMap((group) => group.rules)
  const untested = rules.filter(({ alert }) => !(alert in alertCases)).map(({ alert }) => alert)
  const temporary = await mkdtemp(join(tmpdir(), 'atrium-prometheus-'))
  try {
    // On a server both files are in /etc/prometheus, where compose.yaml mounts them.
    const config = join(temporary, 'prometheus.yaml')
    const text = await readFile(join(folder, 'prometheus.yaml'), 'utf8')
    await writeFile(config, text.replaceAll('/etc/prometheus', folder))
    const tests = join(temporary, 'tests.yaml')
    await writeFile(tests, stringify(unitTests(rules)))
    return [
      await run('the configuration is accepted', promtool, ['check', 'config', config]),
      await run('the rules are accepted', promtool, ['check', 'rules', '--lint-fatal', rulesFile]),
      {
        what: 'each rule has a case in which it fires, and one in which it does not',
        measured: untested.length === 0 ? `${rules.length} rules` : `none for ${untested}`,
        holds: untested.length === 0,
      },
      await run('each rule fires in the one and not in the other', promtool, [
        ...['test', 'rules'],
        tests,
      ]),
      await run('the checks of addresses are accepted', blackbox, [
        '--config.check',
        `--config.file=${join(folder, 'blackbox.yaml')}`,
      ]),
    ]
  } finally {
    await rm(temporary, { recursive: true })
  }
}

/** The file of `promtool test rules`: two tests for each rule. */
function unitTests(rules: readonly Rule[]) {
  const test = (rule: Rule, series: Series, expected: readonly object[]) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: '2h', alertname: rule.alert, exp_alerts: expected }],
  })
  return {
    rule_files: [rulesFile],
    tests: rules.flatMap((rule) => {
      const found = alertCases[rule.alert]
      if (!found) return []
      const { fires, quiet, labels = {} } = found
      return [test(rule, fires, [firing(rule, labels)]), test(rule, quiet, [])]
    }),
  }
}

function firing(rule: Rule, labels: Readonly<Record<string, string>>) {
  const { summary = '', ...others } = rule.annotations
  const filled = summary.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '')
  return {
    exp_labels: { ...rule.labels, ...labels },
    exp_annotations: { ...others, summary: filled },
  }
}

async function run(what: string, program: string, args: readonly string[]): Promise<Check> {
  const { ok, text, lastLine } = await outputOf(promisify(execFile)(program, [...args]))
  return { what, measured: ok ? lastLine : text.trim(), holds: ok }
}
