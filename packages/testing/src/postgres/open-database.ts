import { type Database, type DatabaseOptions, openDatabase } from '@atrium/db/platform/connect'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import { copyDatabase } from './database.ts'

export type TestDatabase = Database & DatabaseAccounts & AsyncDisposable

/** A copy of the migrated database, open as the service opens it. A lost connection throws. */
export async function openTestDatabase(
  options: Omit<Partial<DatabaseOptions>, 'url'> = {},
): Promise<TestDatabase> {
  const copy = await copyDatabase()
  const database = openDatabase({
    url: copy.appUrl,
    onError: (error) => {
      throw error
    },
    ...options,
  })
  return {
    ...database,
    ownerUrl: copy.ownerUrl,
    appUrl: copy.appUrl,
    async [Symbol.asyncDispose]() {
      await database.close()
      await copy[Symbol.asyncDispose]()
    },
  }
}
