import { toShownNumber } from '@atrium/core/billing/money'
import type { PriceMigrationView, PriceMoveView } from '@atrium/core/billing/price-migrations'
import { priceMoveStates } from '@atrium/core/platform/choices'
import type { PriceMigrationRow, PriceMoveRow } from '@atrium/db/billing/price-migrations'
import { readFailure } from '../../rpc/reader-language.ts'

export function toMigrationView(row: PriceMigrationRow): PriceMigrationView {
  const counts = priceMoveStates.map((state) => [state, row.subscribers[state] ?? 0] as const)
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    stoppedAt: row.stoppedAt?.toISOString() ?? null,
    subscribers: Object.fromEntries(counts) as PriceMigrationView['subscribers'],
  }
}

const shown = (amount: string | null) => (amount === null ? null : toShownNumber(amount))

export function toMoveView(row: PriceMoveRow): PriceMoveView {
  return {
    id: row.subscriptionId,
    tenantSlug: row.tenantSlug,
    tenantName: row.tenantName,
    state: row.state,
    currency: row.currency,
    oldMinor: shown(row.oldAmount),
    newMinor: shown(row.newAmount),
    effectiveAt: row.effectiveAt?.toISOString() ?? null,
    notifiedAt: row.notifiedAt?.toISOString() ?? null,
    error: readFailure(row.error),
  }
}
