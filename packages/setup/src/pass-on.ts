import { spawn } from 'node:child_process'

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
  if (command[0] !== 'upgrade') {
    const status = command[0] === 'doctor' ? ['--backups', backupStatus] : []
    return ['compose', 'exec', ...terminal, 'api', ...node, program, ...command, ...status]
  }
  const running = command.some((argument) => /^--running(=|$)/.test(argument))
  return [
    ...['compose', 'run', '--rm', '--no-deps', '--build', ...terminal, 'migrate'],
    ...[...node, '--env-file=/run/secrets/migrate.env', program, ...command],
    ...(running ? [] : ['--running', 'http://api:4000']),
  ]
}

/** Runs the command there, with this terminal, and returns its exit status. */
export function passOn(folder: string, command: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('docker', passOnArguments(command), { cwd: folder, stdio: 'inherit' })
    child.on('error', (error) => {
      process.stderr.write(`docker: ${error.message}\n`)
      resolve(1)
    })
    child.on('close', (status) => resolve(status ?? 1))
  })
}
