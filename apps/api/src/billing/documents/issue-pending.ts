import {
  listInvoicesToDocument,
  listPayoutsToDocument,
  listTenantsWithPendingDocuments,
} from '@atrium/db/billing/documents'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { mirrorInvoice } from '../invoices/mirror.ts'
import { documentPendingStatement } from '../payouts/statement-document.ts'
import { documentCreditNote } from './issue.ts'

const batch = 100
const retryMs = 3_600_000

/**
 * Issues what waits: documents whose data have become complete, invoices from before there were
 * documents, and what no event told of. Reads each invoice and its credit notes again at the
 * payment processor. One tenant or partner must not keep the others waiting.
 */
export async function issuePendingDocuments(services: Services): Promise<void> {
  const { db } = services.database
  for (const { partnerId, payoutId } of await listPayoutsToDocument(db, 1_000))
    await documentPendingStatement(services, partnerId, payoutId)
  const { payments } = services.systems
  if (payments === null || services.config.seller.party === null) return
  const before = new Date(services.clock.now().getTime() - retryMs)
  for (let after: string | undefined; !services.background.ending; ) {
    const found = { before, after, limit: batch }
    const tenantIds: string[] = await listTenantsWithPendingDocuments(db, found)
    for (const tenantId of tenantIds) {
      try {
        await documentTenant(services, payments, tenantId)
      } catch (err) {
        services.log.warn({ err, tenantId }, 'documents of a tenant could not be issued')
        if (err instanceof UpstreamError && err.kind === 'circuit_open') return
      }
      if (services.background.ending) return
    }
    after = tenantIds.at(-1)
    if (tenantIds.length < batch) return
  }
}

/** The invoices of one tenant that have no document yet. Rejects with `UpstreamError`. */
export async function documentTenant(
  services: Services,
  payments: Payments,
  tenantId: string,
): Promise<void> {
  const { db } = services.database
  for (const id of await listInvoicesToDocument(db, tenantId)) {
    const readAt = await databaseNow(db)
    const invoice = await payments.findInvoice(id)
    if (!invoice) continue
    const notes = await payments.listCreditNotes(id)
    await db.transaction().execute(async (trx) => {
      const mirrored = await mirrorInvoice(trx, services, invoice, readAt)
      if (typeof mirrored === 'string') return
      const about = { tenantId, invoiceId: mirrored.id }
      // Oldest first: a cancellation takes back what they leave.
      for (const note of [...notes].reverse())
        await documentCreditNote(trx, services, about, note, invoice)
    })
  }
}
