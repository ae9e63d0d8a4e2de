import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import pg from 'pg'
import { pinned } from './measure/process.ts'

export interface Machine {
  cores: number
  cpu: string
  memoryGiB: number
  system: string
  node: string
  postgres: string
  /** Servers and load generator each have a core of their own. */
  pinned: boolean
}

export async function describeMachine(adminUrl: string): Promise<Machine> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
      system: `${type()} ${release()}`,
      node: process.version,
      postgres: rows[0]?.server_version ?? 'unknown',
      pinned: pinned(0).length > 0,
    }
  } finally {
    await client.end()
  }
}
