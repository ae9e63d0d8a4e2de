import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const leastPython = [3, 10] as const

/** What keeps a program from running on this machine, in a sentence for people. */
export class Missing extends Error {}

/** A program of a package on PyPI. */
export interface PythonProgram {
  package: string
  /** Pinned, so that a run says something about the product and not about a newer tool. */
  version: string
  program: string
}

/**
 * The path of the program, installed from PyPI into an environment of its own on the first run.
 * Throws Missing without Python or without PyPI.
 */
export async function installPythonProgram(wanted: PythonProgram): Promise<string> {
  const pinned = `${wanted.package}==${wanted.version}`
  const folder = join(
    import.meta.dirname,
    '../../node_modules/.cache',
    `${wanted.package}-${wanted.version}`,
  )
  const windows = process.platform === 'win32'
  const inFolder = (name: string) => join(folder, windows ? `Scripts/${name}.exe` : `bin/${name}`)
  const program = inFolder(wanted.program)
  if (existsSync(program)) return program
  process.stdout.write(`Installing ${pinned} into ${folder}\n`)
  const steps: [string, string[]][] = [
    [findPython(), ['-m', 'venv', folder]],
    [inFolder('python'), ['-m', 'pip', 'install', '--quiet', pinned]],
  ]
  for (const [command, args] of steps) {
    if ((await run(command, args)) !== 0)
      throw new Missing(`${pinned} could not be installed: ${command} ${args.join(' ')} failed.`)
  }
  return program
}

function findPython(): string {
  const [major, minor] = leastPython
  for (const command of process.env.PYTHON ? [process.env.PYTHON] : ['python3', 'python']) {
    const check = `import sys; sys.exit(0 if sys.version_info >= (${major}, ${minor}) else 1)`
    if (spawnSync(command, ['-c', check], { stdio: 'ignore' }).status === 0) return command
  }
  throw new Missing(
    `This needs Python ${major}.${minor} or newer, and there is none. Install it, or set PYTHON to its path. Nothing else in this repository needs it.`,
  )
}

interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** After these the command is asked to end, and ended ten seconds later. */
  limitMs?: number
}

/**
 * Runs a command with its output on ours; resolves with its exit code, null when a signal ended it.
 */
export function run(
  command: string,
  args: readonly string[],
  { env = {}, cwd, limitMs }: RunOptions = {},
): Promise<number | null> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      cwd,
    })
    const timers =
      limitMs === undefined
        ? []
        : [
            setTimeout(() => child.kill('SIGINT'), limitMs),
            setTimeout(() => child.kill('SIGKILL'), limitMs + 10_000),
          ]
    const settle = () => timers.forEach(clearTimeout)
    child.once('error', (error) => {
      settle()
      failed(error)
    })
    child.once('exit', (code) => {
      settle()
      done(code)
    })
  })
}
