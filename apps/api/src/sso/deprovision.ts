import type { Trx } from '@atrium/db/platform/connect'
import { deleteSsoApp, type SsoAppRow } from '@atrium/db/sso/sso'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Services } from '../rpc/services.ts'

const removalDeadlineMs = 20_000

/**
 * Takes an application in state `removing` away from the provider and then forgets it. False when
 * the provider did not do its part: the record stays for `sweepSsoApps`. `record` runs in the
 * transaction that forgets it. Repeatable.
 */
export async function deprovision(
  services: Services,
  identity: IdentityProvider,
  row: SsoAppRow,
  record?: (trx: Trx) => Promise<void>,
): Promise<boolean> {
  const { slug, clientId, providerId } = row
  const signal = AbortSignal.timeout(removalDeadlineMs)
  try {
    // Of a creation that did not come to its end nothing is known but what we chose ourselves.
    await identity.removeSsoApplication(
      providerId === null ? { slug, clientId } : { slug, providerId },
      { signal },
    )
    await services.database.db.transaction().execute(async (trx) => {
      await deleteSsoApp(trx, row.id)
      await record?.(trx)
    })
    return true
  } catch (err) {
    services.log.warn(
      { err, app: row.id },
      'failed to remove application from the identity provider',
    )
    return false
  }
}
