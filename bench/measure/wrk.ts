import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Request } from 'autocannon'
import type { LoadOrder, LoadResult } from './generator.ts'
import { cores, findProgram, pinned } from './process.ts'

const run = promisify(execFile)

export function findWrk(): string | undefined {
  return findProgram('wrk')
}

/**
 * Load from wrk, which takes a tenth of what a generator written in JavaScript takes of the
 * machine: on two cores the difference is the server's and the database's to use. The requests are
 * formatted once and sent in turn.
 */
export function createWrkLoad(
  wrk: string,
  folder: string,
): (order: LoadOrder) => Promise<LoadResult> {
  const scripts = new Map<readonly Request[], Promise<string>>()
  async function writeScript(requests: readonly Request[]): Promise<string> {
    const file = join(folder, `requests-${scripts.size}.lua`)
    await writeFile(file, toScript(requests))
    return file
  }
  return async ({ url, connections, seconds, requests }) => {
    const script = scripts.get(requests) ?? writeScript(requests)
    scripts.set(requests, script)
    const [program = wrk, ...words] = [...pinned(cores.generator), wrk]
    const options = [
      '--threads',
      '1',
      '--connections',
      String(connections),
      '--duration',
      `${Math.ceil(seconds)}s`,
    ]
    const { stdout } = await run(program, [...words, ...options, '--script', await script, url])
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LoadResult
  }
}

/**
 * wrk counts responses of 400 and above as failed; `checkAnswers` makes sure that nothing is
 * redirected.
 */
function toScript(requests: readonly Request[]): string {
  const lines = requests.map(({ method = 'GET', path = '/', headers = {} }) => {
    const fields = Object.entries(headers).map(
      ([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    )
    return `  { ${JSON.stringify(method)}, ${JSON.stringify(path)}, { ${fields.join(', ')} } },`
  })
  return `local requests = {
${lines.join('\n')}
}
local formatted, turn = {}, 0
function init()
  for i, request in ipairs(requests) do formatted[i] = wrk.format(request[1], request[2], request[3]) end
end
function request()
  turn = turn % #formatted + 1
  return formatted[turn]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  io.write(string.format('{"completed":%d,"failed":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f}\\n',
    summary.requests - errors.status, failed, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`
}
