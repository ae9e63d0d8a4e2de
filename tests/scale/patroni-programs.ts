import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@atrium/bench/measure/process'
import { parse, stringify } from 'yaml'
import type { Member } from './patroni-cluster.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '../../deploy/patroni')

export interface PatroniPrograms {
  patroni: string
  etcd: string
  haproxy: string
  /** Folder with the programs of PostgreSQL. */
  postgres: string
  /** Names and versions for people. */
  versions: string
}

/**
 * The programs that `PATRONI`, `ETCD`, `HAPROXY` and `PG_BIN` or the path name, or what is missing.
 */
export async function findPatroni(): Promise<PatroniPrograms | { missing: string }> {
  const rewind = findProgram('pg_rewind')
  const found = {
    patroni: process.env.PATRONI ?? findProgram('patroni'),
    etcd: process.env.ETCD ?? findProgram('etcd'),
    haproxy: process.env.HAPROXY ?? findProgram('haproxy'),
    postgres: process.env.PG_BIN ?? (rewind && join(rewind, '..')),
  }
  const { patroni, etcd, haproxy, postgres } = found
  if (!patroni || !etcd || !haproxy || !postgres) {
    const missing = Object.entries(found).flatMap(([name, path]) => (path ? [] : [name]))
    return { missing: `not tried: no ${missing.join(', ')} on the path or in a variable` }
  }
  const versions = await Promise.all(
    [
      [patroni, '--version'],
      [etcd, '--version'],
      [haproxy, '-v'],
      [join(postgres, 'postgres'), '--version'],
    ].map(async ([program = '', argument = '']) => {
      const { stdout } = await run(program, [argument]).catch(() => ({ stdout: '' }))
      return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown'
    }),
  )
  const [ofPatroni, ofEtcd, ofHaproxy, ofPostgres = ''] = versions
  if (Number.parseInt(ofPostgres, 10) < 16)
    return { missing: `not tried: PostgreSQL ${ofPostgres} in ${postgres} is older than 16` }
  return {
    patroni,
    etcd,
    haproxy,
    postgres,
    versions: `Patroni ${ofPatroni}, etcd ${ofEtcd}, HAProxy ${ofHaproxy}, PostgreSQL ${ofPostgres}`,
  }
}

interface Places {
  etcdPort: number
  password: string
  programs: PatroniPrograms
}

/** The example with the places and passwords of a member; everything else is as people get it. */
export async function writePatroniConfiguration(
  file: string,
  member: Member,
  { etcdPort, password, programs }: Places,
): Promise<void> {
  const example = (await readFile(join(examples, 'patroni.yml'), 'utf8'))
    .replaceAll('change-me', password)
    .replaceAll('10.0.0.0/24', '127.0.0.0/8')
  const configuration = parse(example)
  configuration.name = member.name
  configuration.etcd3.hosts = `127.0.0.1:${etcdPort}`
  Object.assign(configuration.restapi, {
    listen: `${member.host}:${member.apiPort}`,
    connect_address: `${member.host}:${member.apiPort}`,
  })
  Object.assign(configuration.postgresql, {
    listen: `${member.host}:${member.port}`,
    connect_address: `${member.host}:${member.port}`,
    data_dir: member.dataDir,
    bin_dir: programs.postgres,
    parameters: {
      // Of Debian's build it is a folder that only `postgres` may write to.
      unix_socket_directories: '',
      // A signal to a process empties no cache of the operating system, so nothing here needs the
      // disk itself, which others may be writing to; commits are synchronous.
      fsync: 'off',
    },
  })
  await writeFile(file, stringify(configuration), { mode: 0o644 })
}

/** The example with these servers behind it, on a port of loopback. */
export async function writeProxyConfiguration(
  file: string,
  port: number,
  members: readonly Member[],
): Promise<void> {
  let text = await readFile(join(examples, 'haproxy.cfg'), 'utf8')
  text = text.replace('bind 127.0.0.1:5432', `bind 127.0.0.1:${port}`)
  for (const [index, member] of members.entries())
    text = text.replace(
      `10.0.0.1${index + 1}:5432`,
      `${member.host}:${member.port} port ${member.apiPort}`,
    )
  await writeFile(file, text)
}
