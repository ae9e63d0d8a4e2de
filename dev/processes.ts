import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** One server of the local workplace, as a process of its own. */
export interface ServerProcess {
  /** Resolves once the address answers with a success. */
  ready(url: string): Promise<void>
  /** Stops and starts it again, for changed sources. */
  restart(): Promise<void>
}

export interface ProcessGroup {
  start(name: string, script: string, environment: Record<string, string>): ServerProcess
  /** Called when a process ends that was not asked to; with its last log lines. */
  onFailure(callback: (name: string, lastLines: string[]) => void): void
  /** Ends all processes, the last started first; those that do not end within 8 s are killed. */
  stop(): Promise<void>
}

// A process whose parent is gone (killed, say) stops by itself, so that nothing is left behind.
const stopWithParent = `data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGTERM'));process.channel?.unref()`
const patienceMs = 8_000

/**
 * Processes write their logs to `<folder>/<name>.log`; warnings and errors are shown on the
 * terminal as well.
 */
export function createProcessGroup(folder: string): ProcessGroup {
  const running = new Map<string, ChildProcess>()
  let failed: (name: string, lastLines: string[]) => void = () => {}

  function launch(name: string, script: string, environment: Record<string, string>): ChildProcess {
    mkdirSync(folder, { recursive: true })
    const child = spawn(process.execPath, ['--import', stopWithParent, script], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own process group: Ctrl-C reaches the launcher alone, which then stops the rest in
      // order.
      detached: true,
    })
    const lastLines: string[] = []
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log.write(text)
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          lastLines.push(line)
          if (lastLines.length > 20) lastLines.shift()
          show(name, line)
        }
      })
    }
    running.set(name, child)
    child.once('exit', () => {
      log.end()
      if (running.get(name) !== child) return
      running.delete(name)
      failed(name, lastLines)
    })
    return child
  }

  return {
    onFailure(callback) {
      failed = callback
    },
    start(name, script, environment) {
      launch(name, script, environment)
      let ending: Promise<void> | undefined
      const again = async () => {
        const child = running.get(name)
        running.delete(name)
        if (child) await end(child)
        ending = undefined
        launch(name, script, environment)
      }
      return {
        ready: (url) => untilOk(url, () => running.has(name), name),
        // While one still ends it has the port; who changes something meanwhile is served by the
        // start that comes.
        restart: () => (ending ??= again()),
      }
    },
    async stop() {
      const children = [...running.values()].reverse()
      running.clear()
      await Promise.all(children.map(end))
    },
  }
}

function show(name: string, line: string): void {
  if (!/"level":"(warn|error|fatal)"/.test(line)) return
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level: string
      msg?: string
      err?: { message?: string }
    }
    process.stdout.write(
      `[${name}] ${level}: ${msg ?? ''}${err?.message ? ` (${err.message})` : ''}\n`,
    )
  } catch {
    process.stdout.write(`[${name}] ${line}\n`)
  }
}

async function untilOk(url: string, alive: () => boolean, name: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (!alive()) throw new Error(`${name} did not start.`)
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`${name} did not answer at ${url} within 30 s.`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await gone
  clearTimeout(impatience)
}
