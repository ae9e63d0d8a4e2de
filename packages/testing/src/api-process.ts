import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { secretsOfEnvironment, shownInLog } from './shown-secrets.ts'
import type { TestApp } from './test-app.ts'

/** The service as it is run for real: a process of its own, with a socket. */
export interface ApiProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Log lines so far. */
  readonly log: string[]
  signal(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Resolves with the exit code, null after a kill. */
  readonly ended: Promise<number | null>
}

const source = fileURLToPath(new URL('../../../apps/api/src/main.ts', import.meta.url))

/**
 * `entry`: the arguments of Node. By default the service that the run has built, or the source
 * where none was built.
 */
export async function startApi(
  testApp: Pick<TestApp, 'env'>,
  env: Readonly<Record<string, string>> = {},
  entry: string = process.env.ATRIUM_BUILT_API ?? source,
): Promise<ApiProcess> {
  const child = spawn(process.execPath, [entry], {
    // No balancer stands in front that would need the time.
    env: { SHUTDOWN_DRAIN_SECONDS: '0.5', ...testApp.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  const lines = createInterface(child.stdout)
  const started = new Promise<string>((found, failed) => {
    let url = ''
    lines.on('line', (line) => {
      log.push(line)
      const entry: { msg?: string; port?: number } = JSON.parse(line)
      if (entry.msg === 'listening') url = `http://127.0.0.1:${entry.port}`
      if (entry.msg === 'started') found(url)
    })
    child.once('exit', () =>
      failed(new Error(`the API ended before it started:\n${log.join('\n')}`)),
    )
  })
  return {
    url: await started,
    pid: child.pid ?? 0,
    log,
    ended,
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      await kill(child, ended)
      const shown = shownInLog(log, secretsOfEnvironment({ ...testApp.env, ...env }))
      if (shown.length > 0) throw new Error(`a process showed secrets:\n${shown.join('\n')}`)
    },
  }
}

async function kill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** A JSON request to a process. */
export async function send(
  url: string,
  method: string,
  path: string,
  token: string,
  body?: object,
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
