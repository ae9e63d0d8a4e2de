import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@atrium/bench/measure/process'
import { freePort } from '@atrium/db/server/free-port'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import pg from 'pg'

const run = promisify(execFile)

/** Connections to the server, for however many clients. */
export const poolSize = 10

/** A PgBouncer in front of one database, on loopback. */
export interface Pooler extends AsyncDisposable {
  /** As the API's account, through the pooler. */
  readonly appUrl: string
  /** Connections that the pooler holds to the server at this moment. */
  serverConnections(): Promise<number>
}

/** The program that `PGBOUNCER` or the path names, or the reason why there is none that will do. */
export async function findPooler(): Promise<
  { program: string; version: string } | { missing: string }
> {
  const program = process.env.PGBOUNCER ?? findProgram('pgbouncer')
  if (!program) return { missing: 'no pgbouncer on the path, and PGBOUNCER names none' }
  const { stdout } = await run(program, ['--version']).catch(() => ({ stdout: '' }))
  const version = /PgBouncer (\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1]
  if (!version) return { missing: `${program} does not say its version` }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // Prepared statements by name pass in transaction mode since 1.21 (PgBouncer, changelog).
  return major > 1 || minor >= 21
    ? { program, version }
    : { missing: `PgBouncer ${version} is older than 1.21` }
}

/**
 * Starts it in transaction mode with the settings of docs/how-to/operate.md, few connections to the
 * server, and resolves once it takes clients.
 */
export async function startPooler(
  program: string,
  accounts: DatabaseAccounts,
  serverPort: number,
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-pooler-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const app = new URL(accounts.appUrl)
  const name = app.pathname.slice(1)
  await writeFile(
    join(folder, 'users.txt'),
    `"${app.username}" "${decodeURIComponent(app.password)}"\n"pooler_admin" ""\n`,
  )
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=127.0.0.1 port=${serverPort} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
admin_users = pooler_admin
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = ${poolSize}
max_client_conn = 1000
ignore_startup_parameters = statement_timeout
server_tls_sslmode = disable
`,
  )
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const output: string[] = []
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  child.once('error', (error) => output.push(error.message))
  for (let i = 0; !(await accepts(port)); i++) {
    if (i === 200 || child.exitCode !== null)
      throw new Error(`PgBouncer did not start:\n${output.join('')}`)
    await new Promise((done) => setTimeout(done, 50))
  }
  app.port = String(port)
  return {
    appUrl: app.toString(),
    async serverConnections() {
      const client = new pg.Client({
        connectionString: `postgres://pooler_admin@127.0.0.1:${port}/pgbouncer`,
      })
      await client.connect()
      const { rows } = await client
        .query<{ database: string }>('show servers')
        .finally(() => client.end())
      return rows.filter(({ database }) => database === name).length
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((response) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      response(true)
    })
    socket.once('error', () => response(false))
  })
}
