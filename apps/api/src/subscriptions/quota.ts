import { AppError } from '@atrium/core/errors'
import { fileQuotaBytes, type Plan } from '@atrium/core/tenants'
import type { Db, Trx } from '@atrium/db/connect'
import { findFileSpaceId } from '@atrium/db/storage'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { InTransaction } from '../house.ts'

const deadlineMs = 5_000

/**
 * Throws AppError `quota_exceeded` when the tenant's space holds more than the plan gives. What the file storage cannot tell is not held
 * against the tenant: the space then keeps what is in it and takes no more.
 */
export async function refuseExceededQuota(
  db: Db | Trx,
  house: Pick<InTransaction, 'systems'>,
  tenantId: string,
  { from, to }: { from: Plan; to: Plan },
): Promise<void> {
  if (fileQuotaBytes[to] >= fileQuotaBytes[from]) return
  const used = await usedBytes(db, house, tenantId)
  if (used === undefined || used <= fileQuotaBytes[to]) return
  const message = `Files take ${gibibytes(used)} GiB, and the plan ${to} holds ${gibibytes(fileQuotaBytes[to])} GiB.`
  throw new AppError('quota_exceeded', message, { issues: [{ path: 'plan', message }] })
}

const gibibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 3)

async function usedBytes(db: Db | Trx, house: Pick<InTransaction, 'systems'>, tenantId: string): Promise<number | undefined> {
  const spaceId = await findFileSpaceId(db, tenantId)
  if (!house.systems.files || spaceId === null) return undefined
  try {
    const storage = await house.systems.files.storage(spaceId, { signal: AbortSignal.timeout(deadlineMs) })
    return storage?.used ?? undefined
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return undefined
  }
}
