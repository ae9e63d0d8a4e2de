import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@atrium/db/server/free-port'
import { cores, residentMiB, startProcess, untilReady } from '../measure/process.ts'
import { type Contender, type Measured, runRounds } from '../measure/slots.ts'
import type { Session } from '../session.ts'
import { productEnvironment } from './product.ts'
import type { RowResult } from './result.ts'

const run = promisify(execFile)

const bench = join(import.meta.dirname, '..')
const api = join(bench, '../apps/api')
const product = join(api, 'dist/main.js')
// JavaScript, as the built API is: what Node takes to strip types off a file is more than all else
// that an empty process does.
const emptyProcess = `import { createServer } from 'node:http'
const body = '{"status":"ok"}'
createServer((_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body)).listen(process.env.PORT, '127.0.0.1')
`
const restMs = 5_000
const processesAtRest = 3

/**
 * P13: from spawning a process to its first 200, and its memory when idle. The API as it is
 * deployed: built.
 */
export async function measureStart(session: Session): Promise<RowResult[]> {
  await run(process.execPath, [join(api, 'node_modules/vite/bin/vite.js'), 'build'], { cwd: api })
  const empty = join(session.folder, 'empty-process.mjs')
  await writeFile(empty, emptyProcess)
  const contenders = [
    starter(session, 'node:http', empty),
    starter(session, 'node:http again', empty),
    starter(session, 'api', product),
  ]
  const { measured, failures } = await runRounds(contenders, session)
  const failure = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
  const peer = 'empty node:http process'
  return [
    {
      row: 'P13a',
      what: 'start to ready',
      peer,
      unit: 'x',
      direction: 'at most',
      reach: 3,
      beyond: 2.2,
      ...(failure ? { values: [], note: failure } : startRatios(measured)),
    },
    {
      row: 'P13b',
      what: 'memory at rest',
      peer,
      unit: 'x',
      direction: 'at most',
      reach: 1.55,
      beyond: 1.4,
      ...(failure ? { values: [], note: failure } : await restRatios(session, empty)),
    },
  ]
}

function environment(session: Session): Record<string, string> {
  const cache = { NODE_COMPILE_CACHE: join(session.folder, 'compile-cache') }
  return { DATABASE_URL: session.accounts.appUrl, ...productEnvironment(session.issuer), ...cache }
}

async function spawned(session: Session, file: string) {
  const port = await freePort()
  const process = startProcess({
    file,
    core: cores.server,
    env: { PORT: String(port), ...environment(session) },
  })
  return { process, url: `http://127.0.0.1:${port}/health` }
}

function starter(session: Session, name: string, file: string): Contender {
  return {
    name,
    async measure() {
      const began = performance.now()
      const { process, url } = await spawned(session, file)
      await untilReady(process.child, url)
      const ms = performance.now() - began
      await process.stop()
      return { callsPerSecond: 1000 / ms, p50Ms: Math.round(ms) }
    },
  }
}

function startRatios(
  measured: Measured,
): Pick<RowResult, 'values' | 'nullTest' | 'figures' | 'note'> {
  const ms = (name: string) =>
    (measured.get(name) ?? []).map((figures) => 1000 / figures.callsPerSecond)
  const [first, second, own] = [ms('node:http'), ms('node:http again'), ms('api')]
  return {
    values: own.map(
      (value, i) => (2 * value) / ((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)),
    ),
    nullTest: first.map((value, i) => value / (second[i] ?? Number.NaN)),
    note: `api ${Math.round(middle(own))} ms, empty process ${Math.round(middle(first))} ms; the API built`,
  }
}

async function restRatios(
  session: Session,
  empty: string,
): Promise<Pick<RowResult, 'values' | 'note'>> {
  const files = Array.from({ length: processesAtRest }, () => [product, empty]).flat()
  const processes = await Promise.all(files.map((file) => spawned(session, file)))
  await Promise.all(processes.map(({ process, url }) => untilReady(process.child, url)))
  await new Promise((done) => setTimeout(done, restMs))
  const sizes = await Promise.all(processes.map(({ process }) => residentMiB(process.child.pid)))
  await Promise.all(processes.map(({ process }) => process.stop()))
  const own = sizes.filter((_, i) => i % 2 === 0)
  const bare = sizes.filter((_, i) => i % 2 === 1)
  return {
    values: own.map((size, i) => size / (bare[i] ?? Number.NaN)),
    note: `api ${Math.round(middle(own))} MiB, empty process ${Math.round(middle(bare))} MiB after ${restMs / 1000} s; ${processesAtRest} processes of each at once`,
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
