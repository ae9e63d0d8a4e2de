import { spawn } from 'node:child_process'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { typeCheck } from '@atrium/testing/type-check'
import { readChange, testsNamedAfter } from './changed.ts'
import type { UnhandledError } from './unhandled-errors.ts'

/**
 * Everything that must hold, in one command: types, lint and format, architecture, regular
 * expressions, changes of the API, unit, integration and browser tests. Of the suites of resilience
 * and security only the walks run here, which find what a new procedure left out. Goes on after a
 * failure, so that one run shows all of them, and closes with every failure again, what each check
 * counted and `N passed, N failed`: the end of the output alone says what to mend.
 */
const root = join(import.meta.dirname, '..')
const usage = `pnpm test                 every check
pnpm test NAME …          these checks
pnpm test --changed       types, lint, and the unit and integration tests of what differs from main`
const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit()
}
const reports = await mkdtemp(join(tmpdir(), 'atrium-tests-'))

interface Check {
  name: string
  commands: readonly (readonly [program: string, ...args: string[]])[]
  /** Whether Vitest's report counts the single tests; other checks count as one. */
  counted?: boolean
  env?: Readonly<Record<string, string>>
}

/** Where `unhandled-errors.ts` writes what was thrown outside of every test of a check. */
function unhandledOf(check: string): string {
  return join(reports, `${check}.unhandled.json`)
}

const vite = (app: string): [string, ...string[]] => [
  join(root, 'apps', app, 'node_modules/.bin/vite'),
  'build',
  join(root, 'apps', app),
  '--logLevel',
  'warn',
]
const server = (app: string): [string, ...string[]] => [
  ...vite(app),
  '--config',
  join(root, 'apps', app, 'vite.server.config.ts'),
]
/**
 * A check that runs the Vitest projects of its name in parallel: all of their tests, unless Vitest
 * gets other arguments.
 */
const vitest = (
  name: string,
  projects: readonly string[] = [name],
  which: readonly string[] = [],
): Check => ({
  name,
  commands: [
    [
      'vitest',
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(import.meta.dirname, 'unhandled-errors.ts')}`,
      `--outputFile.json=${join(reports, `${name}.json`)}`,
      ...which,
    ],
  ],
  counted: true,
  env: { UNHANDLED_ERRORS_FILE: unhandledOf(name) },
})

const types: Check = {
  name: 'types',
  commands: [
    [process.execPath, 'packages/client/build/types.ts'],
    ...typeCheck.projects.map((project) => ['tsc', ...typeCheck.options, '-p', project] as const),
  ],
  env: typeCheck.env,
}

const everything: readonly Check[] = [
  types,
  { name: 'lint', commands: [['biome', 'ci', '--colors=off', '.']] },
  { name: 'architecture', commands: [[process.execPath, '.ci/architecture.ts']] },
  { name: 'expressions', commands: [[process.execPath, '.ci/expressions.ts']] },
  { name: 'api-changes', commands: [[process.execPath, '.ci/api-changes.ts']] },
  vitest('unit'),
  vitest('integration', ['integration', 'walks', 'client']),
  { name: 'pages', commands: [vite('portal'), vite('operator'), vite('booking')] },
  {
    name: 'build',
    commands: [
      [
        join(root, 'apps/api/node_modules/.bin/vite'),
        'build',
        join(root, 'apps/api'),
        '--logLevel',
        'warn',
      ],
      ...['portal', 'operator', 'booking'].map(server),
    ],
  },
  vitest('browser'),
]

/** The checks of a change, with nothing to run where nothing concerns it. */
async function ofChange(): Promise<Check[]> {
  const { base, files } = readChange(root)
  const tests = testsNamedAfter(
    files,
    await Array.fromAsync(
      glob('{packages/{db,bff},apps/api,dev}/test/**/*.test.ts', { cwd: root }),
    ),
  )
  const unmatched = ['--colors=off', '--no-errors-on-unmatched', '--files-ignore-unknown=true']
  return [
    types,
    {
      name: 'lint',
      commands: files.length > 0 ? [['biome', 'ci', ...unmatched, ...files]] : [],
    },
    vitest('unit', ['unit'], ['--changed', base, '--passWithNoTests']),
    ...(tests.length > 0 ? [vitest('integration', ['integration'], tests)] : []),
  ]
}

const checks = values.changed ? await ofChange() : everything
let passed = 0
let failed = 0
const summary: string[] = []
const failures: string[] = []
const unknown = only.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no check called ${unknown.join(', ')}. Known: ${checks.map((check) => check.name).join(', ')}\n`,
  )
  process.exit(2)
}

for (const check of checks.filter(({ name }) => only.length === 0 || only.includes(name))) {
  const started = performance.now()
  process.stdout.write(`\n── ${check.name}\n`)
  let ok = true
  for (const [program, ...args] of check.commands)
    ok = (await run(program, args, check.env)) === 0 && ok
  const counted = check.counted
    ? await readReport(check.name)
    : { passed: ok ? 1 : 0, failed: ok ? 0 : 1, failures: [] }
  // A runner that fails without a failed test (a broken setup, no test found) is a failure of its
  // own.
  if (!ok && counted.failed === 0) counted.failed = 1
  passed += counted.passed
  failed += counted.failed
  failures.push(...counted.failures)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  summary.push(
    `${counted.failed === 0 ? 'ok    ' : 'FAILED'} ${check.name.padEnd(13)} ${counted.passed} passed, ${counted.failed} failed (${seconds} s)`,
  )
}

await rm(reports, { recursive: true, force: true })
process.stdout.write(
  `\n${[...failures, ...summary].join('\n')}\n\n${passed} passed, ${failed} failed\n`,
)
process.exitCode = failed > 0 ? 1 : 0

function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...env,
        PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      },
    })
    child.once('error', () => done(1))
    child.once('exit', (code) => done(code ?? 1))
  })
}

interface Counted {
  passed: number
  failed: number
  /** One text per failure: where, and the beginning of what was thrown. */
  failures: string[]
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[]
  }[]
}

async function readReport(check: string): Promise<Counted> {
  let report: VitestReport
  try {
    report = JSON.parse(await readFile(join(reports, `${check}.json`), 'utf8'))
  } catch (error) {
    return { passed: 0, failed: 1, failures: [failure(check, 'no report', String(error))] }
  }
  const failures = report.testResults.flatMap((file) => {
    const where = `${check}  ${relative(root, file.name)}`
    const failedTests = file.assertionResults.filter(({ status }) => status === 'failed')
    // A file that cannot be loaded has no test that could fail.
    if (failedTests.length === 0 && file.status === 'failed')
      return [failure(where, 'the file', file.message ?? '')]
    return failedTests.map((test) =>
      failure(where, test.fullName, test.failureMessages?.join('\n') ?? ''),
    )
  })
  const unhandled: UnhandledError[] = JSON.parse(
    await readFile(unhandledOf(check), 'utf8').catch(() => '[]'),
  )
  for (const { file, message } of unhandled) {
    const where = file === null ? check : `${check}  ${relative(root, file)}`
    failures.push(failure(where, 'thrown outside of every test', message))
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unhandled.length,
    failures,
  }
}

function failure(where: string, what: string, message: string): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/node_modules|at new Promise/.test(line))
  return [
    `✗ ${where}: ${what}`,
    ...lines.slice(0, 7).map((line) => `    ${line.slice(0, 160)}`),
    '',
  ].join('\n')
}
