import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { serverAccount } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import pg from 'pg'
import {
  type PatroniPrograms,
  writePatroniConfiguration,
  writeProxyConfiguration,
} from './patroni-programs.ts'

const run = promisify(execFile)
const size = 3

/** One database server: a Patroni and the PostgreSQL that it runs. */
export interface Member {
  readonly name: string
  readonly host: string
  /** Of its Patroni. */
  readonly apiPort: number
  readonly port: number
  readonly dataDir: string
  /** Lines that Patroni and PostgreSQL wrote, of all starts. */
  readonly log: string[]
}

/**
 * Three members of the example `deploy/patroni`, with one etcd, behind the example of HAProxy, all
 * on loopback.
 */
export interface PatroniCluster extends AsyncDisposable {
  readonly members: readonly Member[]
  /** Superuser, through HAProxy. */
  readonly adminUrl: string
  /** What `patroni --validate-config` and `haproxy -c` wrote about invalid files; empty if none. */
  readonly invalid: readonly string[]
  leader(): Promise<Member>
  /**
   * SIGKILL to the server process of the leader's PostgreSQL, `whole`: and to its Patroni and all
   * of its other processes.
   */
  kill(leader: Member, whole: boolean): Promise<void>
  /** Starts the Patroni of a member that was killed. */
  start(member: Member): void
  /** Resolves when two members follow the leader, one of them synchronously. */
  untilHealthy(): Promise<void>
  /** A statement as superuser, at a member or by default at the leader. */
  ask<Row extends pg.QueryResultRow>(text: string, where?: Asked): Promise<Row[]>
}

interface Asked {
  member?: Member
  database?: string
}

/** Throws what the programs wrote when the cluster is not there within five minutes. */
export async function startPatroniCluster(programs: PatroniPrograms): Promise<PatroniCluster> {
  const launcher = await openLauncher()
  const { folder } = launcher
  const password = randomBytes(12).toString('hex')
  const patronis = new Map<Member, ChildProcess>()
  const members: Member[] = []
  const output: string[] = []
  const fileOf = (member: Member) => join(folder, `${member.name}.yml`)
  const start = (member: Member) =>
    void patronis.set(member, launcher.launch(programs.patroni, [fileOf(member)], member.log))
  async function dispose(): Promise<void> {
    launcher.kill()
    for (const member of members) await killAll(await postmasterOf(member))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const etcdPort = await startEtcd(programs.etcd, launcher, output)
    const invalid: string[] = []
    for (let number = 1; number <= size; number++) {
      const member = await newMember(number, folder)
      members.push(member)
      await writePatroniConfiguration(fileOf(member), member, { etcdPort, password, programs })
      const check = ['--validate-config', fileOf(member)]
      invalid.push(...(await launcher.check(programs.patroni, check)))
    }
    const port = await freePort()
    const haproxy = join(folder, 'haproxy.cfg')
    await writeProxyConfiguration(haproxy, port, members)
    invalid.push(...(await launcher.check(programs.haproxy, ['-c', '-f', haproxy])))
    members.forEach(start)
    launcher.launch(programs.haproxy, ['-db', '-f', haproxy], output)
    const urlOf = (address: string, database: string) =>
      `postgres://postgres:${password}@${address}/${database}`
    const cluster: PatroniCluster = {
      members,
      adminUrl: urlOf(`127.0.0.1:${port}`, 'postgres'),
      invalid,
      start,
      leader: () => findLeader(members),
      async kill(leader, whole) {
        const pid = await postmasterOf(leader)
        if (pid === 0) throw new Error(`the PostgreSQL of ${leader.name} does not run`)
        if (!whole) return void process.kill(pid, 'SIGKILL')
        patronis.get(leader)?.kill('SIGKILL')
        await killAll(pid)
      },
      untilHealthy: async () => {
        if (await eventually(() => isHealthy(cluster), 300)) return
        const lines = members.flatMap(({ name, log }) =>
          log.slice(-15).map((line) => `${name}: ${line}`),
        )
        throw new Error(`the cluster is not complete:\n${[...output, ...lines].join('\n')}`)
      },
      ask: (text, { member, database = 'postgres' } = {}) =>
        ask(urlOf(member ? `${member.host}:${member.port}` : `127.0.0.1:${port}`, database), text),
      [Symbol.asyncDispose]: dispose,
    }
    await cluster.untilHealthy()
    return cluster
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Programs that run in a folder of their own, as the account that PostgreSQL needs. */
async function openLauncher() {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-patroni-'))
  const account = await serverAccount()
  if (account.uid !== undefined && account.gid !== undefined)
    await chown(folder, account.uid, account.gid)
  const children = new Set<ChildProcess>()
  return {
    folder,
    /** Starts one; its lines are added to `log`. */
    launch(program: string, args: readonly string[], log: string[]): ChildProcess {
      const child = spawn(program, [...args], {
        ...account,
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.add(child)
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => log.push(...text.split('\n')))
      child.once('error', (error) => log.push(error.message))
      child.once('exit', () => children.delete(child))
      return child
    },
    /** What one wrote that ended with a failure; empty if it did not. */
    check: (program: string, args: readonly string[]): Promise<string[]> =>
      run(program, [...args], { ...account, cwd: folder }).then(
        () => [],
        (error: { stdout?: string; stderr?: string }) => [`${error.stdout}${error.stderr}`],
      ),
    kill(): void {
      for (const child of children) child.kill('SIGKILL')
    },
  }
}
type Launcher = Awaited<ReturnType<typeof openLauncher>>

/** Returns the port for its clients. */
async function startEtcd(etcd: string, launcher: Launcher, output: string[]): Promise<number> {
  const port = await freePort()
  const client = `http://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const names = ['--data-dir=etcd', '--name=etcd', '--log-level=error']
  const peers = [`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`]
  const clients = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`]
  const args = [...names, ...peers, ...clients, `--initial-cluster=etcd=${peer}`]
  launcher.launch(etcd, args, output)
  const answers = async () => (await fetch(`${client}/health`)).ok
  if (!(await eventually(answers, 60))) throw new Error(`etcd did not start: ${output.join('\n')}`)
  return port
}

const newMember = async (number: number, folder: string): Promise<Member> => ({
  name: `database-${number}`,
  host: `127.0.0.1${number}`,
  apiPort: await freePort(),
  port: await freePort(),
  dataDir: join(folder, `data-${number}`),
  log: [],
})

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

interface ClusterState {
  members?: { name: string; role: string; state: string }[]
}

async function clusterState(members: readonly Member[]): Promise<ClusterState> {
  for (const { host, apiPort } of members) {
    const response = await fetch(`http://${host}:${apiPort}/cluster`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => undefined)
    if (response?.ok) return (await response.json()) as ClusterState
    await response?.body?.cancel()
  }
  return {}
}

async function findLeader(members: readonly Member[]): Promise<Member> {
  const { members: states = [] } = await clusterState(members)
  const name = states.find(({ role }) => role === 'leader')?.name
  const leader = members.find((member) => member.name === name)
  if (!leader) throw new Error('the cluster has no leader')
  return leader
}

/** As Patroni has it written down and as the primary has it. */
async function isHealthy(cluster: PatroniCluster): Promise<boolean> {
  const { members: states = [] } = await clusterState(cluster.members)
  const roles = states.map(({ role }) => role)
  if (states.length !== size || !roles.includes('leader') || !roles.includes('sync_standby'))
    return false
  const followers = await cluster.ask<{ state: string; sync_state: string }>(
    'select state, sync_state from pg_stat_replication',
  )
  return (
    followers.filter(({ state }) => state === 'streaming').length === size - 1 &&
    followers.some(({ sync_state }) => sync_state === 'sync')
  )
}

async function eventually(look: () => Promise<boolean>, seconds: number): Promise<boolean> {
  for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
    if (await look().catch(() => false)) return true
    await delay(200)
  }
  return false
}

/** The server process of the PostgreSQL that runs in the member's folder; 0 for none. */
async function postmasterOf(member: Member): Promise<number> {
  const text = await readFile(join(member.dataDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.includes(member.dataDir) ? pid : 0
}

/** SIGKILL to a process and its children (Linux). */
async function killAll(pid: number): Promise<void> {
  if (pid === 0) return
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
