import type { GrantScope } from '@atrium/core/access-grants/access-grants'
import { writtenDay, writtenMoment } from '@atrium/core/platform/written-day'
import { holdsLink } from '@atrium/core/scheduling/person-names'
import type { GrantRow } from '@atrium/db/access-grants/access-grants'
import { listAdministrators } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { PageLanguage } from '@atrium/messages/languages'
import { mailTexts } from '@atrium/messages/mail'
import { portalLink } from '../platform/links.ts'
import type { InTransaction } from '../rpc/services.ts'

// The platform's own messages, which no workplace can brand: who has access to the texts of a
// workplace could otherwise change what its owner reads about that access. What partner staff wrote
// is not in them: it is free text, and the page shows it.

/** Asks the owner for consent. */
export async function mailOwnerRequest(
  trx: Trx,
  services: InTransaction,
  row: GrantRow,
): Promise<void> {
  const owner = (await listAdministrators(trx, row.tenantId)).find(({ role }) => role === 'owner')
  if (!owner) return
  await services.outbox.send(trx, {
    tenantId: null,
    template: 'access.requested',
    to: owner.email,
    userId: owner.id,
    name: owner.name,
    values: (language) => ({
      ...valuesOf(services.config, row, language),
      'access.expiresOn': writtenDay(row.expiresAt, language),
    }),
    key: `access.requested:${row.id}`,
  })
}

/** Mails the outcome of the request to the person who made it. */
export async function mailDecision(
  trx: Trx,
  services: InTransaction,
  row: GrantRow,
  outcome: 'approved' | 'declined' | 'expired',
): Promise<void> {
  if (row.userId === null || row.userEmail === null || row.userName === null) return
  const path =
    row.partnerId === null ? undefined : (`/partner/customers?customer=${row.tenantSlug}` as const)
  await services.outbox.send(trx, {
    tenantId: null,
    template: 'access.decided',
    to: row.userEmail,
    userId: row.userId,
    name: row.userName,
    values: (language) => ({
      'customer.name': nameOf(row),
      'access.outcome': mailTexts(language)(`accessOutcomes.${outcome}`),
      'access.endsOn': writtenDay(row.endsAt, language),
      'link.customer': path === undefined ? '' : portalLink(services.config, path),
    }),
    key: `access.decided:${row.id}`,
  })
}

/** Notifies the owner and the admins of a break-glass access. */
export async function mailBreakGlass(
  trx: Trx,
  services: InTransaction,
  row: GrantRow,
): Promise<void> {
  for (const admin of await listAdministrators(trx, row.tenantId)) {
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'access.break_glass',
      to: admin.email,
      userId: admin.id,
      name: admin.name,
      values: (language) => ({
        ...valuesOf(services.config, row, language),
        'access.reason': row.reason,
      }),
      key: `access.break_glass:${row.id}:${admin.id}`,
    })
  }
}

function valuesOf(config: InTransaction['config'], row: GrantRow, language: PageLanguage) {
  const t = mailTexts(language)
  return {
    'customer.name': nameOf(row),
    'access.person': row.userEmail ?? '',
    'access.organisation': organisationOf(row, t('accessOperator')),
    'access.role': t(`accessRoles.${row.role}`),
    'access.scopes': row.scopes.map((scope: GrantScope) => t(`accessScopes.${scope}`)).join(', '),
    'access.endsOn': writtenMoment(row.endsAt, language),
    'link.grants': portalLink(config, `/t/${row.tenantSlug}/security/access`),
  }
}

/** Names that hold a link are left out of mails. */
function nameOf({ tenantName, tenantSlug }: GrantRow): string {
  return holdsLink(tenantName) ? tenantSlug : tenantName
}

function organisationOf({ partnerName, partnerSlug }: GrantRow, operator: string): string {
  if (partnerName === null || partnerSlug === null) return operator
  return holdsLink(partnerName) ? partnerSlug : partnerName
}
