import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { groups } from './groups.ts'

const usage = `pnpm mutation [${Object.keys(groups).join(' ')}]
                mutates the code of these groups, or of all, and runs the tests that reach it
  --file GLOB   mutates these files of the group alone; without a threshold
  --static      mutates what is made as a file loads too: schemas and tables; takes hours
  --concurrency N
                test processes at once (2)`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string', multiple: true },
    concurrency: { type: 'string', default: '2' },
    static: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
const unknown = positionals.filter((name) => !(name in groups))
const concurrency = Number(values.concurrency)
if (values.help || unknown.length > 0 || !Number.isInteger(concurrency) || concurrency < 1) {
  if (unknown.length > 0) process.stdout.write(`There is no group ${unknown.join(', ')}.\n`)
  process.stdout.write(`${usage}\n`)
  process.exit(values.help ? 0 : 64)
}

process.chdir(join(import.meta.dirname, '../..'))
for (const [name, group] of Object.entries(groups)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.env.ATRIUM_MUTATION_GROUP = name
  process.stdout.write(`\n── ${name}\n`)
  // Sets the exit code where the score misses the threshold.
  await new Stryker({
    mutate: values.file ?? [...group.mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './tests/mutation/ignore-documentation.ts'],
    ignorers: ['documentation'],
    // What is made as a file loads (schemas, tables) needs every test file loaded again.
    ignoreStatic: !values.static,
    vitest: { configFile: 'tests/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency,
    timeoutMS: 20_000,
    // Vitest strips types without a check, and the compiler has no interface that StrykerJS knows.
    disableTypeChecks: false,
    tsconfigFile: 'not-rewritten.json',
    mutator: {
      // A text is either a sentence, which no test pins, or a name that the type check knows.
      excludedMutations: ['StringLiteral'],
    },
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `tests/results/mutation/${name}.html` },
    jsonReporter: { fileName: `tests/results/mutation/${name}.json` },
    thresholds: { high: 95, low: 85, break: values.file ? null : 85 },
  }).runMutationTest()
}
