import { AppError, findAppError } from '@atrium/core/errors'
import { type DomainRow, findDomainById, listDomains } from '@atrium/db/domains'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'
import { refuseUsedInMailServer, takeOutDomain } from './remove.ts'

/**
 * The tenant's domains that a whole list of names leaves out. Throws AppError `domain_in_use` under `domains` for one that the mail server
 * uses, and `upstream_failed` when it cannot tell: before anything has changed.
 */
export async function domainsLeftOut(house: House, { tenant }: Access, names: readonly string[]): Promise<DomainRow[]> {
  const rows = (await listDomains(house.database.db, tenant.id)).filter(({ name }) => !names.includes(name))
  for (const row of rows) {
    await refuseUsedInMailServer(house, row).catch((error: unknown) => {
      const refusal = findAppError(error)
      if (refusal?.code !== 'domain_in_use') throw error
      const message = `${row.name}: ${refusal.message}`
      throw new AppError('domain_in_use', message, { cause: error, issues: [{ path: 'domains', message }] })
    })
  }
  return rows
}

/**
 * Removes them one after the other as they go one by one, the mail server first. Answers those that are gone, and the failure at which it
 * ended: the rest stays as it is, and the same call goes on from there.
 */
export async function takeOutDomains(house: House, rows: readonly DomainRow[]): Promise<{ removed: string[]; failure?: AppError }> {
  const removed: string[] = []
  for (const row of rows) {
    try {
      // As it is now: it is no longer the primary one, say.
      const current = await findDomainById(house.database.db, row.id)
      if (current) await takeOutDomain(house, current)
    } catch (error) {
      const refusal = findAppError(error)
      if (!refusal) throw error
      // Somebody else has removed it meanwhile.
      if (refusal.code !== 'not_found')
        return { removed, failure: new AppError(refusal.code, `${row.name} stays: ${refusal.message}`, { cause: error }) }
    }
    removed.push(row.name)
  }
  return { removed }
}
