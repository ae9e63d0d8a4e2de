import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The program as it is installed. */
export const program = join(
  process.env.ATRIUM_PACKED ?? '',
  'node_modules/@atrium/cli/dist/main.js',
)

export interface Ended {
  status: number
  out: string
  err: string
}

/** Starts the program with nothing but these variables. */
export function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs the program to its end. */
export async function atrium(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Ended> {
  const child = start(args, env)
  child.stdin?.end(input)
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the program has no output')
  const [out, err, status] = await Promise.all([
    text(stdout),
    text(stderr),
    new Promise<number>((done) => child.once('exit', (code) => done(code ?? -1))),
  ])
  return { status, out, err }
}
