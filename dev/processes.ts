import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** One server of the local workplace, as a process of its own. */
export interface ServerProcess {
  /** Resolves once the address returns a success. Rejects when the process ends before that. */
  ready(url: string): Promise<void>
  /** Stops and starts it, for a change that the process itself does not notice. */
  restart(): Promise<void>
}

export interface ServerProgram {
  script: string
  environment: Record<string, string>
  /** Restarts the process when a file changes that it has loaded (`node --watch`). */
  watch?: { inspectorPort: number }
}

export interface ProcessGroup {
  start(name: string, program: ServerProgram): ServerProcess
  /**
   * Called with the last log lines when a process fails. A watched one starts again with the next
   * change.
   */
  onFailure(callback: (name: string, lastLines: string[]) => void): void
  /** Ends all processes, the last started first; those that do not end within 8 s are killed. */
  stop(): Promise<void>
}

// A process reads the end of its standard input when the launcher is gone (killed, say). It then
// ends itself, or the `node --watch` that would start it again. Worker threads load this as well,
// and their standard input is another one.
const stopWithLauncher = `data:text/javascript,import{isMainThread}from'node:worker_threads';if(isMainThread)process.stdin.once('end',()=>process.kill(process.env.WATCH_REPORT_DEPENDENCIES?process.ppid:process.pid,'SIGTERM')).resume().unref()`
/** What `node --watch` prints when the program ends by itself. */
const failedUnderWatch = /^(Failed|Completed) running /
const patienceMs = 8_000

/**
 * Processes write their logs to `<folder>/<name>.log`; warnings and errors are shown on the
 * terminal as well.
 */
export function createProcessGroup(folder: string): ProcessGroup {
  const running = new Map<string, ChildProcess>()
  const failed = new Set<string>()
  let reportFailure: (name: string, lastLines: string[]) => void = () => {}

  function launch(name: string, { script, environment, watch }: ServerProgram): void {
    mkdirSync(folder, { recursive: true })
    const options = watch
      ? ['--watch', '--watch-preserve-output', `--inspect=${watch.inspectorPort}`]
      : []
    const child = spawn(process.execPath, [...options, '--import', stopWithLauncher, script], {
      env: { ...process.env, ...environment },
      stdio: 'pipe',
      // Its own process group: Ctrl-C reaches the launcher alone, which then stops the rest in
      // order.
      detached: true,
    })
    const lastLines: string[] = []
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    const fail = () => {
      failed.add(name)
      reportFailure(name, lastLines.splice(0))
    }
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        log.write(text)
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (watch && failedUnderWatch.test(stripVTControlCharacters(line))) {
            fail()
            continue
          }
          lastLines.push(line)
          if (lastLines.length > 20) lastLines.shift()
          show(name, line)
        }
      })
    }
    failed.delete(name)
    running.set(name, child)
    child.once('exit', () => {
      log.end()
      if (running.get(name) !== child) return
      running.delete(name)
      fail()
    })
  }

  return {
    onFailure(callback) {
      reportFailure = callback
    },
    start(name, program) {
      launch(name, program)
      let ending: Promise<void> | undefined
      const again = async () => {
        const child = running.get(name)
        running.delete(name)
        if (child) await end(child)
        ending = undefined
        launch(name, program)
      }
      return {
        ready: (url) => untilOk(url, () => !failed.has(name), name),
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
