import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figure, readFigures } from './figures.ts'
import { type Goal, goals } from './goals.ts'
import { readResults, renderResults, saveResults } from './results.ts'

const usage = `pnpm test:faults [R1 R4 …]     what happens when something breaks: kills, outages, races, restarts
pnpm test:attacks [S1 S7 …]    what happens when somebody tries: tokens, rights, input, addresses, limits
  --short                      few rounds, as in \`pnpm test\`; goals that need more time are left out
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
const ofSuite = goals.filter((goal) => goal.suite === suite)
const unknown = asked.filter((id) => !ofSuite.some((goal) => goal.id === id))
if (values.help || ofSuite.length === 0 || unknown.length > 0) {
  process.stdout.write(`${unknown.length > 0 ? `There is no goal ${unknown.join(', ')} in ${suite}.\n` : ''}${usage}\n`)
  process.exit(values.help ? 0 : 64)
}

if (values.results) {
  process.stdout.write(`${renderResults(await readResults(suite ?? ''))}\n`)
  process.exit()
}

const root = join(import.meta.dirname, '..')
const wanted = ofSuite.filter((goal) => asked.length === 0 || asked.includes(goal.id))
const missing = wanted.flatMap((goal) => goal.files).filter((file) => !existsSync(join(root, file)))
const folder = await mkdtemp(join(tmpdir(), 'atrium-figures-'))
const report = values.json ?? join(folder, 'report')
try {
  const code = await runTests()
  const figures = await readFigures(folder)
  const failed = await failedFiles()
  const rows = wanted.map((goal) => {
    const own = figures.filter((figure) => figure.goal === goal.id)
    const names = goal.files.filter((file) => failed.has(file))
    // A test that ends before it has recorded its figure would else leave only those that were reached.
    return {
      goal,
      figures:
        names.length === 0 ? own : [...own, { goal: goal.id, what: 'tests', measured: `failed in ${names.join(', ')}`, reached: false }],
    }
  })
  process.stdout.write(`\n${table(rows)}\n`)
  for (const file of new Set(missing)) process.stdout.write(`${file} is not there\n`)
  await saveResults(goals, values.short ? 'short' : 'full', rows)
  // With few rounds a figure may miss for no other reason than a busy machine; what is wrong fails its test in either form.
  const unproven = values.short ? [] : rows.filter((row) => row.figures.length === 0 || row.figures.some((figure) => !figure.reached))
  // A suite that finds nothing to try has proven nothing, whatever its tests said.
  if (figures.length === 0) process.stdout.write('nothing was measured\n')
  process.exitCode = code !== 0 || figures.length === 0 || missing.length > 0 || unproven.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

function runTests(): Promise<number> {
  const files = [...new Set(wanted.flatMap((goal) => goal.files))].filter((file) => !values.short || file.startsWith('proof/'))
  const args = ['run', '--project', suite ?? '', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...files]
  return new Promise((done, failed) => {
    const child = spawn(join(root, 'node_modules/.bin/vitest'), args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ATRIUM_FIGURES: folder, ATRIUM_PROOF: values.short ? 'short' : 'full' },
    })
    child.once('error', failed)
    child.once('exit', (code) => done(code ?? 1))
  })
}

/** Files with a test that failed, from the root of the repository; none where the run itself did not come to an end, which its exit code tells. */
async function failedFiles(): Promise<Set<string>> {
  const { testResults } = JSON.parse(await readFile(report, 'utf8').catch(() => '{"testResults":[]}')) as {
    testResults: { name: string; status: string }[]
  }
  return new Set(testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name)))
}

function table(rows: readonly { goal: Goal; figures: readonly Figure[] }[]): string {
  return rows
    .flatMap(({ goal, figures }) => [
      `${verdict(figures)} ${goal.id.padEnd(4)}${goal.title}`,
      `             goal  ${goal.reach}`,
      ...figures.map((figure) => `    ${figure.reached ? 'ok    ' : 'MISSED'}   ${figure.what}: ${figure.measured}`),
    ])
    .join('\n')
}

function verdict(figures: readonly Figure[]): string {
  if (figures.length === 0) return values.short ? 'not in short' : 'NOT MEASURED'
  return figures.every((figure) => figure.reached) ? 'reached     ' : 'MISSED      '
}
