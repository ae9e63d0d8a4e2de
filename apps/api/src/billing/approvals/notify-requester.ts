import { holdsLink } from '@atrium/core/scheduling/person-names'
import type { ApprovalRow } from '@atrium/db/billing/approvals'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import type { Trx } from '@atrium/db/platform/connect'
import { mailTexts } from '@atrium/messages/mail'
import { portalLink } from '../../platform/links.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { writtenTerms } from '../invoices/mails.ts'

/**
 * Queues a mail about the outcome to the partner's person who sent the request. The owner's reason
 * is not in the mail: it is free text, and the customer's page shows it.
 */
export async function notifyRequester(
  trx: Trx,
  { outbox, config }: InTransaction,
  { tenantId, id, partnerName, requestedBy, after, currency }: ApprovalRow,
  outcome: 'approved' | 'declined' | 'expired',
): Promise<void> {
  const tenant = await findCustomerTenant(trx, tenantId)
  if (requestedBy === null || !tenant) return
  const { slug, name } = tenant
  await outbox.send(trx, {
    tenantId: null,
    template: 'partner.approval_decided',
    to: requestedBy,
    values: (language) => ({
      'partner.name': partnerName,
      'customer.name': holdsLink(name) ? slug : name,
      'change.terms': writtenTerms(after, currency, language),
      'approval.outcome': mailTexts(language)(`approvalOutcomes.${outcome}`),
      'link.customer': portalLink(config, `/partner/customers?customer=${slug}`),
    }),
    key: `partner.approval_decided:${id}`,
  })
}
