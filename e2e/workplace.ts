import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { prepareBrowser } from './browser.ts'

export interface WorkplaceAddresses {
  api: string
  portal: string
  operator: string
  booking: string
  control: string
  smtpPage: string
  dnsPage: string
  /** As the API's account reaches it. */
  database: string
  payments: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    workplace: WorkplaceAddresses
  }
}

/**
 * Starts the local workplace that the tests share: without a history, which would get in the tests'
 * way.
 */
export default async function workplace(project: TestProject): Promise<() => Promise<void>> {
  await prepareBrowser()
  const { addresses, stop } = await startWorkplace({ history: false })
  project.provide('workplace', addresses)
  return stop
}

/**
 * Starts a whole local workplace with the same launcher as `pnpm dev`, on ports of its own, and
 * returns how to end it.
 */
export async function startWorkplace({
  history,
  env = {},
}: {
  history: boolean
  /** Settings of the API besides those of the launcher. */
  env?: Record<string, string>
}): Promise<{ addresses: WorkplaceAddresses; stop: () => Promise<void> }> {
  const root = join(import.meta.dirname, '..')
  const base = await freeBase()
  const child = spawn(
    process.execPath,
    ['dev.ts', '--fresh', '--no-watch', ...(history ? [] : ['--plain'])],
    {
      cwd: root,
      env: { ...process.env, ...env, ATRIUM_PORT_BASE: String(base) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output: string[] = []
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise<void>((up, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output.push(text)
        if (text.includes('Atrium is up')) up()
      })
    }
    child.once('exit', () => failed(new Error(`The workplace did not start:\n${output.join('')}`)))
  })
  const at = (offset: number) => `http://localhost:${base + offset}`
  return {
    addresses: {
      api: at(0),
      portal: at(100),
      operator: at(200),
      booking: at(300),
      control: at(1000),
      smtpPage: at(1501),
      dnsPage: at(1601),
      payments: at(1400),
      database:
        process.env.DATABASE_URL ?? `postgres://atrium_api:atrium@127.0.0.1:${base + 400}/atrium`,
    },
    async stop() {
      child.kill('SIGTERM')
      await gone
      await rm(join(root, '.atrium', String(base)), { recursive: true, force: true })
    },
  }
}

/** Of the ports of a workplace, from its base. */
const offsets = [
  0, 100, 200, 300, 400, 500, 1000, 1100, 1200, 1300, 1400, 1410, 1500, 1501, 1600, 1601,
]
const firstBase = 21_000
const bases = 10_000
/** Apart from each other, workers that start a workplace at once do not find the same base. */
const basesPerWorker = 2_000

/** A base whose ports are all free, looked for from a place of this worker's own. */
async function freeBase(): Promise<number> {
  const ofWorker = Number(process.env.VITEST_POOL_ID ?? 0) * basesPerWorker
  for (let step = 0; step < bases; step += 50) {
    const base = firstBase + ((ofWorker + step) % bases)
    const free = await Promise.all(offsets.map((offset) => isFree(base + offset)))
    if (free.every(Boolean)) return base
  }
  throw new Error('no free range of ports was found')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((response) => {
    const probe = createServer()
    probe.once('error', () => response(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => response(true)))
  })
}
