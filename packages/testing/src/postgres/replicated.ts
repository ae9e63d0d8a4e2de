import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import { createMigratedDatabase, type DatabaseAccounts } from '@atrium/db/server/provision-database'
import pg from 'pg'
import { startStandby } from './standby.ts'

/** One server of the pair. */
export interface DatabaseServer {
  readonly server: EmbeddedServer
  readonly port: number
  readonly dataDir: string
}

/** A primary and, when it was asked for, a standby, on loopback, with one migrated database. */
export interface ReplicatedDatabase extends AsyncDisposable {
  readonly primary: DatabaseServer
  /** Undefined until one follows. */
  readonly standby: DatabaseServer | undefined
  readonly accounts: DatabaseAccounts
  /**
   * Creates a standby of the present primary. `synchronous`: commits wait until it has them on
   * disk.
   */
  follow(options?: { synchronous?: boolean }): Promise<DatabaseServer>
  /**
   * SIGKILL to the primary, then the standby becomes the primary; resolves once it takes writes.
   */
  promote(): Promise<DatabaseServer>
  /** A statement on the maintenance database of a server, as its superuser. */
  ask<Row extends pg.QueryResultRow>(
    server: DatabaseServer,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>
}

const databaseName = 'atrium'
// A signal to a process empties no cache of the operating system, so nothing here needs the disk
// itself; commits are synchronous.
const settings = [
  'fsync=off',
  'synchronous_commit=on',
  'max_connections=200',
  'wal_level=replica',
  'max_wal_senders=10',
  'hot_standby=on',
]

export async function startReplicated(
  options: { standby?: boolean; synchronous?: boolean } = {},
): Promise<ReplicatedDatabase> {
  const made: DatabaseServer[] = []
  const newPlace = async () => ({
    port: await freePort(),
    dataDir: join(tmpdir(), `atrium-scale-${randomUUID()}`),
  })
  const first = await newPlace()
  let primary: DatabaseServer = {
    ...first,
    server: await startEmbeddedServer({ ...first, settings }),
  }
  made.push(primary)
  let standby: DatabaseServer | undefined
  const accounts = await createMigratedDatabase(primary.server.adminUrl, databaseName)

  async function ask<Row extends pg.QueryResultRow>(
    { server }: DatabaseServer,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: server.adminUrl })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(text, [...values])).rows
    } finally {
      await client.end()
    }
  }

  async function follow({ synchronous = false } = {}): Promise<DatabaseServer> {
    const place = await newPlace()
    const name = `standby_${made.length}`
    const from = { adminUrl: primary.server.adminUrl, dataDir: primary.dataDir }
    const following = {
      ...place,
      server: await startStandby({ ...place, primary: from, name, settings }),
    }
    made.push(following)
    if (synchronous) {
      await ask(primary, `alter system set synchronous_standby_names = '${name}'`)
      await ask(primary, 'select pg_reload_conf()')
    }
    await untilFollowed(
      () => ask<{ state: string }>(primary, followers, [name]),
      synchronous ? 'sync' : 'async',
    )
    standby = following
    return following
  }

  if (options.standby ?? false) await follow({ synchronous: options.synchronous ?? false })
  return {
    get primary() {
      return primary
    },
    get standby() {
      return standby
    },
    accounts,
    follow,
    ask,
    async promote() {
      if (!standby) throw new Error('there is no standby to promote')
      const [next, old] = [standby, primary]
      await old.server.kill()
      const [promoted] = await ask<{ done: boolean }>(next, 'select pg_promote(true, 30) as done')
      if (!promoted?.done) throw new Error('the standby was not promoted within 30 s')
      primary = next
      standby = undefined
      return next
    },
    async [Symbol.asyncDispose]() {
      // The standby first: a primary that stops waits for those who follow it.
      for (const { server, dataDir } of made.reverse()) {
        await server.kill()
        await rm(dataDir, { recursive: true, force: true })
      }
    },
  }
}

const followers = 'select sync_state as state from pg_stat_replication where application_name = $1'

async function untilFollowed(
  read: () => Promise<{ state: string }[]>,
  state: string,
): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if ((await read()).some((row) => row.state === state)) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`the standby did not become ${state} within 30 s`)
}
