import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from '@atrium/bench/measure/statistics'
import { createWrkLoad, findWrk } from '@atrium/bench/measure/wrk'
import type { ScaledTestApp } from './cluster.ts'
import type { Check } from './shared-state.ts'

const run = promisify(execFile)
const connections = 16

/**
 * The cost of a request with one, two and four processes: on a machine with few cores that is more
 * informative than requests per second.
 */
export async function checkThroughput(
  scaled: ScaledTestApp,
  { seconds = 4, rounds = 3 } = {},
): Promise<Check> {
  const what = 'CPU of the service per read with 1, 2 and 4 processes'
  const wrk = findWrk()
  if (!wrk) return { what, measured: 'wrk is not installed, so there is no number', holds: null }
  while (scaled.processes.length < 4) await scaled.start()
  const folder = await mkdtemp(join(tmpdir(), 'atrium-scale-'))
  const load = createWrkLoad(wrk, folder)
  const requests = [
    {
      method: 'GET' as const,
      path: '/tenants/acme',
      headers: { authorization: `Bearer ${await scaled.testApp.token('owner@acme.test')}` },
    },
  ]
  const ticks = Number((await run('getconf', ['CLK_TCK'])).stdout)

  async function once(count: number): Promise<{ micros: number; perSecond: number }> {
    const chosen = scaled.processes.slice(0, count)
    const usage = async () =>
      (await Promise.all(chosen.map(({ pid }) => cpuTicks(pid)))).reduce((sum, one) => sum + one, 0)
    const before = await usage()
    const results = await Promise.all(
      chosen.map(({ url }) => load({ url, connections: connections / count, seconds, requests })),
    )
    const used = ((await usage()) - before) / ticks
    const failed = results.reduce((sum, result) => sum + result.failed, 0)
    if (failed > 0) throw new Error(`${failed} answers were not 2xx`)
    const completed = results.reduce((sum, result) => sum + result.completed, 0)
    return { micros: (used / completed) * 1e6, perSecond: completed / seconds }
  }

  try {
    const counts = [1, 2, 4] as const
    const measured = new Map<number, { micros: number; perSecond: number }[]>(
      counts.map((count) => [count, []]),
    )
    for (let round = 0; round < rounds; round++)
      for (const count of counts) measured.get(count)?.push(await once(count))
    const micros = (count: number) => median((measured.get(count) ?? []).map((one) => one.micros))
    const rate = (count: number) => median((measured.get(count) ?? []).map((one) => one.perSecond))
    return {
      what,
      measured: `${counts.map((count) => `${count}: ${micros(count).toFixed(0)} µs, ${rate(count).toFixed(0)}/s`).join('; ')}; median of ${rounds} rounds, ${connections} connections in all`,
      holds: counts.every((count) => micros(count) > 0),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** User and system time of a process in clock ticks (proc(5), `/proc/pid/stat`). */
async function cpuTicks(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
