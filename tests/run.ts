import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Measurement, readMeasurements } from '@atrium/testing/measurements'
import { readResults, renderResults, saveResults } from './results.ts'
import { type Target, targets } from './targets.ts'

const usage = `pnpm test:resilience [R1 R4 …]     what happens when something breaks: kills, outages, races, restarts
pnpm test:security [S1 S7 …]    what happens when somebody tries: tokens, rights, input, addresses, limits
  --short                      few rounds, as every night; goals that need more time are left out
  --json FILE                  Vitest's own report besides
  --results                    no run: the newest result of each goal, as a table of Markdown`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
    results: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
const [suite, ...named] = positionals
const asked = named.map((name) => name.toUpperCase())
const ofSuite = targets.filter((target) => target.suite === suite)
const unknown = asked.filter((id) => !ofSuite.some((target) => target.id === id))
if (values.help || ofSuite.length === 0 || unknown.length > 0) {
  process.stdout.write(
    `${unknown.length > 0 ? `There is no goal ${unknown.join(', ')} in ${suite}.\n` : ''}${usage}\n`,
  )
  process.exit(values.help ? 0 : 64)
}

if (values.results) {
  process.stdout.write(`${renderResults(await readResults(suite ?? ''))}\n`)
  process.exit()
}

const root = join(import.meta.dirname, '..')
const requested = ofSuite.filter((target) => asked.length === 0 || asked.includes(target.id))
const missing = requested
  .flatMap((target) => target.files)
  .filter((file) => !existsSync(join(root, file)))
const folder = await mkdtemp(join(tmpdir(), 'atrium-figures-'))
const report = values.json ?? join(folder, 'report')
try {
  const code = await runTests()
  const measurements = await readMeasurements(folder)
  const failed = await failedFiles()
  const rows = requested.map((target) => {
    const own = measurements.filter((measurement) => measurement.target === target.id)
    const names = target.files.filter((file) => failed.has(file))
    // A test that ends before it has recorded its figure would else leave only those that were
    // reached.
    return {
      target,
      measurements:
        names.length === 0
          ? own
          : [
              ...own,
              {
                target: target.id,
                what: 'tests',
                measured: `failed in ${names.join(', ')}`,
                reached: false,
              },
            ],
    }
  })
  process.stdout.write(`\n${table(rows)}\n`)
  for (const file of new Set(missing)) process.stdout.write(`${file} is not there\n`)
  await saveResults(targets, values.short ? 'short' : 'full', rows)
  // With few rounds a figure may miss for no other reason than a busy machine; what is wrong fails
  // its test in either form.
  const unproven = values.short
    ? []
    : rows.filter(
        (row) =>
          row.measurements.length === 0 ||
          row.measurements.some((measurement) => !measurement.reached),
      )
  // A suite that finds nothing to try has proven nothing, whatever its tests said.
  if (measurements.length === 0) process.stdout.write('nothing was measured\n')
  process.exitCode =
    code !== 0 || measurements.length === 0 || missing.length > 0 || unproven.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

function runTests(): Promise<number> {
  const files = [...new Set(requested.flatMap((target) => target.files))].filter(
    (file) => !values.short || file.startsWith('tests/'),
  )
  const args = [
    'run',
    '--project',
    suite ?? '',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...files,
  ]
  return new Promise((done, failed) => {
    const child = spawn(join(root, 'node_modules/.bin/vitest'), args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ATRIUM_MEASUREMENTS: folder,
        ATRIUM_TEST_FORM: values.short ? 'short' : 'full',
      },
    })
    child.once('error', failed)
    child.once('exit', (code) => done(code ?? 1))
  })
}

/**
 * Files with a failed test, from the root of the repository; none when the run itself did not
 * complete, which its exit code shows.
 */
async function failedFiles(): Promise<Set<string>> {
  const { testResults } = JSON.parse(
    await readFile(report, 'utf8').catch(() => '{"testResults":[]}'),
  ) as {
    testResults: { name: string; status: string }[]
  }
  return new Set(
    testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name)),
  )
}

function table(rows: readonly { target: Target; measurements: readonly Measurement[] }[]): string {
  return rows
    .flatMap(({ target, measurements }) => [
      `${verdict(measurements)} ${target.id.padEnd(4)}${target.title}`,
      `             goal  ${target.reach}`,
      ...measurements.map(
        (measurement) =>
          `    ${measurement.reached ? 'ok    ' : 'MISSED'}   ${measurement.what}: ${measurement.measured}`,
      ),
    ])
    .join('\n')
}

function verdict(measurements: readonly Measurement[]): string {
  if (measurements.length === 0) return values.short ? 'not in short' : 'NOT MEASURED'
  return measurements.every((measurement) => measurement.reached) ? 'reached     ' : 'MISSED      '
}
