import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '../src/server/embedded.ts'
import { freePort } from '../src/server/free-port.ts'
import { createMigratedDatabase, dropDatabase } from '../src/server/provision-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string
    templateName: string
    /** The server goes when the run ends, and every database with it. */
    disposableServer: boolean
  }
}

/**
 * One PostgreSQL and one migrated template per test run; each test file copies the template.
 * `DATABASE_URL` set means: use that server.
 */
export default async function cluster(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL
  const dataDir = join(tmpdir(), `atrium-test-${randomUUID()}`)
  const server = given
    ? undefined
    : await startEmbeddedServer({ dataDir, port: await freePort(), disposable: true })
  const adminUrl = given ?? server?.adminUrl ?? ''
  const templateName = `atrium_template_${randomUUID().replaceAll('-', '')}`
  await createMigratedDatabase(adminUrl, templateName)
  project.provide('adminUrl', adminUrl)
  project.provide('templateName', templateName)
  project.provide('disposableServer', server !== undefined)
  return async () => {
    await dropDatabase(adminUrl, templateName)
    await server?.stop()
    if (server) await rm(dataDir, { recursive: true, force: true })
  }
}
