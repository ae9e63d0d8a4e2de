import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { limitNames } from '@atrium/core/platform/limits'
import { startTestApp } from '@atrium/testing/test-app'
import { startOwnServer } from '../resilience/own-server.ts'
import { type Found, readFindings } from './findings.ts'
import { installPythonProgram, Missing, run } from './python-program.ts'

const usage = `pnpm test:schema          schemathesis over /openapi.json, as operator, owner and anonymous
  --actor owner           this one alone
  --examples 3            random requests per operation, beside those that the schemas' bounds give
  --long                  50 of them
  --minutes 15            the most that one actor may take; with --long 120
  --seed 1                the same requests again; without it, others in each run`

const people: Readonly<Record<string, string | undefined>> = {
  operator: 'operator@atrium.test',
  owner: 'owner@acme.test',
  anonymous: undefined,
}

const { values } = parseArgs({
  options: {
    actor: { type: 'string', multiple: true, default: Object.keys(people) },
    examples: { type: 'string' },
    minutes: { type: 'string' },
    long: { type: 'boolean', default: false },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
const unknown = values.actor.filter((name) => !Object.hasOwn(people, name))
if (values.help || unknown.length > 0) {
  process.stdout.write(
    `${unknown.length > 0 ? `There is no actor ${unknown.join(', ')}.\n` : ''}${usage}\n`,
  )
  process.exit(values.help ? 0 : 64)
}
const examples = Number(values.examples ?? (values.long ? 50 : 3))
const limitMs = Number(values.minutes ?? (values.long ? 120 : 15)) * 60_000

const program = await installPythonProgram({
  package: 'schemathesis',
  version: '4.32.5',
  program: 'schemathesis',
}).catch((error: unknown) => {
  if (!(error instanceof Missing)) throw error
  process.stdout.write(`${error.message}\n`)
  process.exit(69)
})
const folder = await mkdtemp(join(tmpdir(), 'atrium-schema-'))
const server = await startOwnServer()
try {
  const rows: string[] = []
  let failed = false
  for (const actor of values.actor) {
    const { found, faults } = await testAs(actor)
    const wrong = [...found.failures, ...faults.map((fault) => `in the service's log: ${fault}`)]
    failed ||= wrong.length > 0
    const unwritten = [...found.unwritten.values()].reduce((total, count) => total + count, 0)
    const told = `${found.operations} operations, ${found.requests} requests, ${wrong.length} findings`
    const explained = `${unwritten} rejections by ${found.unwritten.size} rules that no schema says`
    rows.push(`${actor.padEnd(10)} ${told}, ${explained}`, ...wrong.map((one) => `    ${one}`))
  }
  process.stdout.write(`\n${rows.join('\n')}\n`)
  process.exitCode = failed ? 1 : 0
} finally {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
}

/** One run against its own service: an actor's changes and deletions affect no other. */
async function testAs(actor: string): Promise<{ found: Found; faults: string[] }> {
  await using testApp = await startTestApp({
    accounts: await server.newDatabase(),
    // Limits have tests of their own; here they would end a run after its first requests.
    env: { LIMITS: limitNames.map((name) => `${name}=1000000`).join() },
    sandbox: { identity: { accessTokenSeconds: 24 * 60 * 60 } },
  })
  const listening = createServer(testApp.app.listener)
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  const { port } = listening.address() as AddressInfo
  const email = people[actor]
  const token = email === undefined ? undefined : await testApp.token(email)
  const [config, summary, events] = ['toml', 'json', 'ndjson'].map((type) =>
    join(folder, `${actor}.${type}`),
  ) as [string, string, string]
  await writeFile(config, settings(token !== undefined))
  try {
    process.stdout.write(`\n── ${actor}\n`)
    const reports = [
      '--report',
      'json,ndjson',
      '--report-json-path',
      summary,
      '--report-ndjson-path',
      events,
    ]
    const options = [...reports, ...(values.seed === undefined ? [] : ['--seed', values.seed])]
    const address = `http://127.0.0.1:${port}/openapi.json`
    // In the environment, because everyone on the machine can read a command line.
    const env = token === undefined ? {} : { ATRIUM_TOKEN: token }
    const code = await run(program, ['--config-file', config, 'run', address, ...options], {
      env,
      cwd: folder,
      limitMs,
    })
    // 1 is what it returns for failures, which the reports tell.
    const found = code === 0 || code === 1 ? await readFindings(summary, events) : cutShort(code)
    const lines = testApp.logLines.map(
      (line): { level: string; msg: string; err?: { message?: string } } => JSON.parse(line),
    )
    const faults = lines
      .filter(({ level }) => level === 'error')
      .map(({ msg, err }) => `${msg}: ${err?.message ?? ''}`)
    return { found, faults: [...new Set(faults)] }
  } finally {
    listening.closeAllConnections()
    await new Promise((done) => listening.close(done))
  }
}

/** A run that was ended, or that ended by itself with a fault: its reports are not whole. */
function cutShort(code: number | null): Found {
  const why =
    code === null
      ? `it did not end within ${limitMs / 60_000} minutes`
      : `schemathesis ended with ${code}`
  return { operations: 0, requests: 0, failures: [`error: ${why}`], unwritten: new Map() }
}

/** The settings of schemathesis: every check that says something about this API. */
function settings(withToken: boolean): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: schemathesis fills it in
  const authorization = 'headers = { Authorization = "Bearer ${ATRIUM_TOKEN}" }\n'
  return `${withToken ? authorization : ''}# Python 3.11 fails now and then when several threads compile at once (python/cpython#106905).
workers = 1
continue-on-failure = true
request-timeout = 20

[generation]
max-examples = ${examples}
# A failure is told by its operation and its sentence, so it need not be made small.
no-shrink = true

[phases.examples]
# The document has none.
enabled = false

[checks]
# A request of the right form may still be refused: another's right (401, 403), a name that was made up (404), a conflict with what is
# there or an Idempotency-Key that was used (409), a tag (412), a limit of the content (422), a calendar that does not answer (503).
positive_data_acceptance.expected-statuses = ["2xx", "304", "401", "403", "404", "409", "412", "422", "503"]
# What is not of the right form may be refused for something that is looked at before it: the right, the record, the key, the tag.
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "413", "415", "422", "503"]

[parameters]
# Beside an expectedVersion every other tag is one too many.
"If-Match" = "*"

[[operations]]
# A stream ends when its reader leaves.
include-path-regex = "/events$"
enabled = false

[[operations]]
# No manage link gets the answer of a wrong one, which is 404 and not the 401 that this check asks for (docs/reference/contract.md, Manage links).
include-path-regex = "^/api/v1/manage/booking"
checks.missing_required_header.enabled = false
`
}
