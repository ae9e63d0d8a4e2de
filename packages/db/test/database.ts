import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import {
  createDatabase,
  type DatabaseAccounts,
  dropDatabase,
} from '../src/server/provision-database.ts'

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
