import type { VatCheckView } from '@atrium/core/billing/billing-info'
import { findVatCheck, findVatCheckTask, type VatCheckRow } from '@atrium/db/billing/vat-checks'
import type { Db } from '@atrium/db/platform/connect'
import type { Config } from '../../platform/config.ts'
import { readFailure } from '../../rpc/reader-language.ts'
import { isChecked } from './check-vat-number.ts'

/** What the register said of a tenant's number; null where it is not asked. */
export async function readVatCheck(
  db: Db,
  config: Pick<Config, 'vies'>,
  tenantId: string,
  vatNumber: string | null,
): Promise<VatCheckView | null> {
  if (vatNumber === null || !isChecked(config, vatNumber)) return null
  const [result, task] = await Promise.all([
    findVatCheck(db, tenantId, vatNumber),
    findVatCheckTask(db, tenantId),
  ])
  return {
    result: result ? toResult(result) : null,
    nextCheckAt: task?.nextAt.toISOString() ?? null,
    failure:
      task?.failedAt && task.error !== null
        ? { at: task.failedAt.toISOString(), message: readFailure(task.error) }
        : null,
  }
}

function toResult({ vatNumber: _, answeredAt, ...result }: VatCheckRow) {
  return { ...result, answeredAt: answeredAt.toISOString() }
}
