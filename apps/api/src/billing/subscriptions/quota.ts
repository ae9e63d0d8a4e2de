import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { fileQuotaBytes, type Plan } from '@atrium/core/tenants/tenants'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { findFileSpaceId } from '@atrium/db/upstream-cache/storage'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { InTransaction } from '../../rpc/services.ts'

const deadlineMs = 5_000

/**
 * Throws AppError `quota_exceeded` when the tenant's space holds more than the plan gives. What the
 * file storage cannot tell is not held against the tenant: the space then keeps what is in it and
 * takes no more.
 */
export async function rejectExceededQuota(
  db: Db | Trx,
  services: Pick<InTransaction, 'systems'>,
  tenantId: string,
  { from, to }: { from: Plan; to: Plan },
): Promise<void> {
  if (fileQuotaBytes[to] >= fileQuotaBytes[from]) return
  const used = await usedBytes(db, services, tenantId)
  if (used === undefined || used <= fileQuotaBytes[to]) return
  const message = errorText('filesTooLarge', {
    used: gibibytes(used),
    to,
    gibibytes: gibibytes(fileQuotaBytes[to]),
  })
  throw new AppError('quota_exceeded', message, { issues: [{ path: 'plan', message }] })
}

const gibibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 3)

async function usedBytes(
  db: Db | Trx,
  services: Pick<InTransaction, 'systems'>,
  tenantId: string,
): Promise<number | undefined> {
  const spaceId = await findFileSpaceId(db, tenantId)
  if (!services.systems.files || spaceId === null) return undefined
  try {
    const storage = await services.systems.files.storage(spaceId, {
      signal: AbortSignal.timeout(deadlineMs),
    })
    return storage?.used ?? undefined
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return undefined
  }
}
