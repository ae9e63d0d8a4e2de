import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Usage } from './probe.ts'

/** The core that measured servers run on, and the one that load comes from. */
export const cores = { server: 0, generator: 1 } as const

export interface ProcessOptions {
  /** Absolute path of the module to run. */
  file: string
  core: number
  env?: Readonly<Record<string, string>>
  /** Returns its use of CPU on request; see `probe.ts`. */
  probed?: boolean
  /** Where standard output goes; nowhere when absent. */
  outputFile?: string
}

/**
 * A Node process of this run's own, on one core where `taskset` exists, with a channel for
 * messages.
 */
export interface MeasuredProcess {
  readonly child: ChildProcess
  usage(): Promise<Usage>
  stop(): Promise<void>
}

const running = new Set<MeasuredProcess>()

/** Resident memory of a process in MiB, as Linux tells it; rejects where there is no `/proc`. */
export async function residentMiB(pid: number | undefined): Promise<number> {
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

export function startProcess(options: ProcessOptions): MeasuredProcess {
  const preload = options.probed ? ['--import', join(import.meta.dirname, 'probe.ts')] : []
  const command = [...pinned(options.core), process.execPath, ...preload, options.file]
  const output = options.outputFile ? openSync(options.outputFile, 'a') : undefined
  const child = spawn(command[0] ?? process.execPath, command.slice(1), {
    stdio: ['ignore', output ?? 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...options.env },
  })
  if (output !== undefined) closeSync(output)
  const started: MeasuredProcess = {
    child,
    usage: () => ask<Usage>(child, 'usage'),
    async stop() {
      running.delete(started)
      await end(child)
    },
  }
  running.add(started)
  return started
}

/** Ends every process that is still there; for a run that fails half-way. */
export async function stopAllProcesses(): Promise<void> {
  await Promise.all([...running].map((process) => process.stop()))
}

/**
 * Sends a message and resolves with the next one that comes back. Rejects when the process ends
 * first.
 */
export function ask<Reply>(child: ChildProcess, message: object | string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = () => {
      child.off('message', onMessage)
      reject(new Error('the process ended before it answered'))
    }
    const onMessage = (reply: unknown) => {
      child.off('exit', onExit)
      resolve(reply as Reply)
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(message, (error) => {
      if (error) onExit()
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const forced = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(forced)
}

/** The program of that name on the path; undefined when there is none. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

/** The words that bind a command to a core; none where `taskset` is not installed. */
export function pinned(core: number): string[] {
  const taskset = findProgram('taskset')
  return taskset ? [taskset, '-c', String(core)] : []
}

/**
 * Resolves when the address answers 200. Throws when it does not within the deadline or the process
 * ends.
 */
export async function untilReady(
  child: ChildProcess,
  url: string,
  deadlineMs = 30_000,
): Promise<void> {
  const until = Date.now() + deadlineMs
  while (Date.now() < until) {
    if (child.exitCode !== null)
      throw new Error(`the process for ${url} ended with code ${child.exitCode}`)
    const status = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status === 200) return
    await new Promise((done) => setTimeout(done, 5))
  }
  throw new Error(`${url} did not answer 200 within ${deadlineMs} ms`)
}
