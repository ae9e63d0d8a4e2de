import { randomUUID } from 'node:crypto'
import {
  createDatabase,
  type DatabaseAccounts,
  dropDatabase,
} from '@atrium/db/server/provision-database'
import { inject } from 'vitest'

/** A database of its own for a test file, copied from the migrated template of the run. */
export async function copyDatabase(): Promise<DatabaseAccounts & AsyncDisposable> {
  const adminUrl = inject('adminUrl')
  const name = `atrium_test_${randomUUID().replaceAll('-', '')}`
  const accounts = await createDatabase(adminUrl, name, { template: inject('templateName') })
  return {
    ...accounts,
    async [Symbol.asyncDispose]() {
      if (!inject('disposableServer')) await dropDatabase(adminUrl, name)
    },
  }
}
