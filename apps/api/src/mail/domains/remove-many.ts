import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError } from '@atrium/core/platform/errors'
import { type DomainRow, findDomainById, listDomains } from '@atrium/db/mail/domains'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { rejectUsedInMailServer, removeFromTenant } from './remove.ts'

/**
 * The tenant's domains that a whole list of names leaves out. Throws AppError `domain_in_use` under
 * `domains` for one that the mail server uses, and `upstream_failed` when it cannot tell: before
 * anything has changed.
 */
export async function domainsLeftOut(
  services: Services,
  { tenant }: Access,
  names: readonly string[],
): Promise<DomainRow[]> {
  const rows = (await listDomains(services.database.db, tenant.id)).filter(
    ({ name }) => !names.includes(name),
  )
  for (const row of rows) {
    await rejectUsedInMailServer(services, row).catch((error: unknown) => {
      const rejection = findAppError(error)
      if (rejection?.code !== 'domain_in_use') throw error
      const message = errorText('nameAndMessage', { name: row.name, message: rejection.text })
      throw new AppError('domain_in_use', message, {
        cause: error,
        issues: [{ path: 'domains', message }],
      })
    })
  }
  return rows
}

/**
 * Removes them one after the other as they go one by one, the mail server first. Returns those that
 * are gone, and the failure at which it ended: the rest stays as it is, and the same call goes on
 * from there.
 */
export async function removeDomains(
  services: Services,
  rows: readonly DomainRow[],
): Promise<{ removed: string[]; failure?: AppError }> {
  const removed: string[] = []
  for (const row of rows) {
    try {
      // As it is now: it is no longer the primary one, say.
      const current = await findDomainById(services.database.db, row.id)
      if (current) await removeFromTenant(services, current)
    } catch (error) {
      const rejection = findAppError(error)
      if (!rejection) throw error
      // Another caller has removed it meanwhile.
      if (rejection.code !== 'not_found')
        return {
          removed,
          failure: new AppError(
            rejection.code,
            errorText('domainStays', { name: row.name, message: rejection.text }),
            {
              cause: error,
            },
          ),
        }
    }
    removed.push(row.name)
  }
  return { removed }
}
