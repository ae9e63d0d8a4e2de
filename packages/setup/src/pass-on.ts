import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSettings } from './settings.ts'

/** Commands of the API's own program, which knows its settings and the database. */
export const passedOn: readonly string[] = [
  'doctor',
  'upgrade',
  'operator',
  'keys',
  'provisioning',
  'export',
]

/** Where the program lies in the API's image. */
const program = 'apps/api/dist/admin.js'
/** Where compose.yaml shows the API when each backup ended. */
const backupStatus = '/backup-status'

/**
 * The arguments of `docker` that run the command in the API's container. `upgrade` runs the new
 * version, in a container of its own that may read the owner's account too.
 */
export function passOnArguments(command: readonly string[]): string[] {
  const terminal = process.stdin.isTTY ? [] : ['-T']
  const node = ['node', '--env-file=/run/secrets/api.env']
  if (command[0] === 'doctor') {
    const setupToken = ['--env', 'IDP_SETUP_TOKEN']
    const status = ['--backups', backupStatus]
    return [
      ...['compose', 'exec', ...terminal, ...setupToken, 'api'],
      ...[...node, program, ...command, ...status],
    ]
  }
  if (command[0] !== 'upgrade')
    return ['compose', 'exec', ...terminal, 'api', ...node, program, ...command]
  const running = command.some((argument) => /^--running(=|$)/.test(argument))
  return [
    ...['compose', 'run', '--rm', '--no-deps', '--build', ...terminal, 'migrate'],
    ...[...node, '--env-file=/run/secrets/migrate.env', program, ...command],
    ...(running ? [] : ['--running', 'http://api:4000']),
  ]
}

/** Runs the command there, with this terminal, and returns its exit status. */
export async function passOn(folder: string, command: readonly string[]): Promise<number> {
  const env = { ...(await passOnEnvironment(folder, command)), ...process.env }
  return new Promise((resolve) => {
    const child = spawn('docker', passOnArguments(command), { cwd: folder, env, stdio: 'inherit' })
    child.on('error', (error) => {
      process.stderr.write(`docker: ${error.message}\n`)
      resolve(1)
    })
    child.on('close', (status) => resolve(status ?? 1))
  })
}

/**
 * Variables that the command needs. `doctor` compares authentik with the blueprint by the token of
 * the set-up, which the service itself never has. `upgrade` reads the new compose.yaml before the
 * set-up has written what is new in `.env.example` into `.env`.
 */
export async function passOnEnvironment(
  folder: string,
  [name]: readonly string[],
): Promise<Record<string, string>> {
  const read = (path: string) => readFile(join(folder, path), 'utf8').catch(() => '')
  if (name === 'doctor')
    return { IDP_SETUP_TOKEN: (await read('secrets/authentik-setup-token')).trim() }
  if (name !== 'upgrade') return {}
  const known = parseSettings(await read('.env'))
  return Object.fromEntries(
    Object.entries(parseSettings(await read('.env.example'))).filter(([key]) => !(key in known)),
  )
}
