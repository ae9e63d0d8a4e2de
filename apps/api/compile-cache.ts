import { spawn } from 'node:child_process'
import { chmod, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Plugin } from 'vite'

/** Nothing answers at port 1: the service listens, finds none of the systems it needs, and stops when it is told to. */
const environment = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  IDP_ISSUER: 'http://127.0.0.1:1',
  IDP_AUDIENCE: 'build',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  SHUTDOWN_DRAIN_SECONDS: '0',
}

const patienceMs = 60_000

/**
 * Starts what was built once: when it ends, Node writes what it has compiled into `compile-cache` beside it (`src/start.ts`). The build fails
 * where the service does not come up, does not answer or does not stop.
 */
export function compileCache(): Plugin {
  let outDir = ''
  return {
    name: 'compile-cache',
    configResolved({ root, build }) {
      outDir = resolve(root, build.outDir)
    },
    async closeBundle() {
      await startOnce(join(outDir, 'main.js'))
      // Node gives them to their owner alone; the service runs as another.
      for (const entry of await readdir(join(outDir, 'compile-cache'), { recursive: true, withFileTypes: true }))
        await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
    },
  }
}

async function startOnce(entry: string): Promise<void> {
  const child = spawn(process.execPath, [entry], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((done, failed) => child.once('error', failed).once('exit', done))
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    const port = line.includes('"msg":"listening"') ? /"port":(\d+)/.exec(line)?.[1] : undefined
    if (port === undefined) continue
    // Without a token: as far as a request comes where there is no database.
    for (const [method, path] of [
      ['GET', '/health'],
      ['GET', '/users/me'],
      ['POST', '/tenants'],
    ] as const)
      await fetch(`http://127.0.0.1:${port}${path}`, { method }).then((answer) => answer.text())
    child.kill('SIGTERM')
  }
  const code = await ended
  if (code !== 0) throw new Error(`what was built ended with ${code}:\n${lines.join('\n')}`)
}
