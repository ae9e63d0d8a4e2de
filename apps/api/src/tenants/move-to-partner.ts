import { randomUUID } from 'node:crypto'
import { holdsLink } from '@atrium/core/scheduling/person-names'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import { findPartner, partnerMailAddress } from '@atrium/db/partners/partners'
import { deleteTransfer } from '@atrium/db/partners/transfers'
import { notifyTenant, type TenantTrx, updateTenant } from '@atrium/db/tenants/tenants'
import { mailTexts } from '@atrium/messages/mail'
import { portalLink } from '../platform/links.ts'
import type { InTransaction } from '../rpc/services.ts'

interface Move {
  tenantId: string
  /** The partner that manages the tenant until now, and from now on. */
  from: string | null
  to: string | null
}

/** Moves a locked tenant to another partner, or to none. Returns the former partner. */
export async function moveToPartner(trx: TenantTrx, services: InTransaction, move: Move) {
  await updateTenant(trx, move.tenantId, { partner_id: move.to })
  await notifyTenant(trx, move.tenantId)
  return settleMove(trx, services, move)
}

/**
 * What follows a move: a transfer code is void, and the owner and the former partner get a mail.
 * Returns the former partner.
 */
export async function settleMove(
  trx: TenantTrx,
  services: InTransaction,
  move: Move,
): Promise<{ slug: string; name: string } | undefined> {
  const { tenantId, from } = move
  await deleteTransfer(trx, tenantId)
  const former = from === null ? undefined : await findPartner(trx, from)
  await mailOwner(trx, services, move, former?.name)
  if (former) await mailFormerPartner(trx, services, tenantId, former)
  return former
}

async function mailOwner(
  trx: TenantTrx,
  { outbox, config }: InTransaction,
  { tenantId, to }: Move,
  former: string | undefined,
): Promise<void> {
  const tenant = await findCustomerTenant(trx, tenantId)
  const partner = to === null ? former : (await findPartner(trx, to))?.name
  if (!tenant?.ownerEmail || partner === undefined) return
  const { ownerEmail, ownerName, slug, name } = tenant
  await outbox.send(trx, {
    tenantId: null,
    template: 'tenant.partner_changed',
    to: ownerEmail,
    name: ownerName ?? undefined,
    values: (language) => ({
      'partner.name': partner,
      'customer.name': holdsLink(name) ? slug : name,
      'partner.change': mailTexts(language)(`partnerChanges.${to === null ? 'left' : 'joined'}`),
      'link.settings': portalLink(config, `/t/${slug}/settings`),
    }),
    key: `tenant.partner_changed:${randomUUID()}`,
  })
}

async function mailFormerPartner(
  trx: TenantTrx,
  { outbox, config }: InTransaction,
  tenantId: string,
  partner: { id: string; name: string },
): Promise<void> {
  const [tenant, address] = [
    await findCustomerTenant(trx, tenantId),
    await partnerMailAddress(trx, partner.id),
  ]
  if (!tenant || address === null) return
  const { slug, name } = tenant
  await outbox.send(trx, {
    tenantId: null,
    template: 'partner.customer_left',
    to: address,
    values: {
      'partner.name': partner.name,
      'customer.name': holdsLink(name) ? slug : name,
      'link.customers': portalLink(config, '/partner/customers'),
    },
    key: `partner.customer_left:${randomUUID()}`,
  })
}
