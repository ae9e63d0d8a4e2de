import { createHash, randomUUID } from 'node:crypto'
import { cp, glob, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string
    templateName: string
    /** The server goes when the run ends, and every database with it. */
    disposableServer: boolean
  }
}

interface Cluster {
  adminUrl: string
  templateName: string
  disposable: boolean
  stop(): Promise<void>
}

// Each project of a run loads this module for itself; the process is what they share.
const run = globalThis as { atriumTestCluster?: Promise<Cluster> }

/**
 * One PostgreSQL and one migrated template per test run, whatever its projects; each test file
 * copies the template. `DATABASE_URL` set means: use that server.
 */
export default async function cluster(project: TestProject): Promise<() => Promise<void>> {
  const first = !run.atriumTestCluster
  run.atriumTestCluster ??= process.env.DATABASE_URL
    ? useServer(process.env.DATABASE_URL)
    : startServer()
  const { adminUrl, templateName, disposable, stop } = await run.atriumTestCluster
  project.provide('adminUrl', adminUrl)
  project.provide('templateName', templateName)
  project.provide('disposableServer', disposable)
  return async () => {
    if (first) await stop()
  }
}

async function useServer(adminUrl: string): Promise<Cluster> {
  const templateName = `atrium_template_${randomUUID().replaceAll('-', '')}`
  await createMigratedDatabase(adminUrl, templateName)
  return {
    adminUrl,
    templateName,
    disposable: false,
    stop: () => dropDatabase(adminUrl, templateName),
  }
}

async function startServer(): Promise<Cluster> {
  const dataDir = join(tmpdir(), `atrium-test-${randomUUID()}`)
  const templateName = 'atrium_template'
  const server = await startEmbeddedServer({
    dataDir,
    port: await freePort(),
    disposable: true,
    copyOf: await keptCluster(templateName),
  })
  return {
    adminUrl: server.adminUrl,
    templateName,
    disposable: true,
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * The data directory of a stopped server with the migrated template, kept between runs for as long
 * as nothing that makes it changes.
 */
async function keptCluster(templateName: string): Promise<string> {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/test-cluster')
  const key = await hashOfSources()
  const kept = join(folder, key)
  if (await readFile(join(kept, 'PG_VERSION')).catch(() => undefined)) return kept
  const dataDir = join(tmpdir(), `atrium-test-${randomUUID()}`)
  const server = await startEmbeddedServer({ dataDir, port: await freePort(), disposable: true })
  await createMigratedDatabase(server.adminUrl, templateName)
  await server.stop()
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (!name.startsWith(key)) await rm(join(folder, name), { recursive: true, force: true })
  // Another run may do the same at this moment: each moves a whole directory into place.
  const copy = `${kept}-${randomUUID()}`
  await cp(dataDir, copy, { recursive: true })
  await rm(dataDir, { recursive: true })
  return rename(copy, kept).then(
    () => kept,
    () => copy,
  )
}

/**
 * Over migrations, what runs them, and the versions of the server and of the job engine's tables;
 * and the month, because migrations create the partitions of the months that come.
 */
async function hashOfSources(): Promise<string> {
  const root = join(import.meta.dirname, '../../../..')
  const files = await Array.fromAsync(glob('packages/db/src/**/*.ts', { cwd: root }))
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 7))
  for (const file of [...files.sort(), 'pnpm-lock.yaml'])
    hash.update(file).update(await readFile(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
