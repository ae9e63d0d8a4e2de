import { type AuditAction, changedFields } from '@atrium/core/audit/audit'
import type { PartnerView, TerminatePartner, UpdatePartner } from '@atrium/core/partners/partners'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import {
  lockPartner,
  type PartnerChanges,
  type PartnerRecord,
  type PartnerRow,
  readPartner,
  updatePartner as writePartner,
} from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { checkedBillingInfo } from '../billing/billing-info/check.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { requireVersion } from '../rpc/edit-version.ts'
import { recordPartner } from '../rpc/partner-lock.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { rejectTakenDomain } from './create.ts'
import { setMargin } from './margin.ts'
import { dayOf, readPartnerView, toPartnerView } from './view.ts'

/**
 * Changes a partner; what is absent stays. A suspension lets the staff read and holds payouts.
 * Throws AppError `partner_terminated`, `already_exists` for a domain of another partner,
 * `invalid_input` for a VAT number of a wrong form or a margin from a day that cannot be.
 */
export async function updatePartner(
  ctx: Context,
  caller: Caller,
  input: UpdatePartner,
): Promise<PartnerView> {
  const { services } = ctx
  const now = services.clock.now()
  const id = await services.database.db
    .transaction()
    .execute(async (trx) => {
      const locked = await lockLivePartner(trx, input.slug)
      const before = await readRecord(trx, locked.id, now)
      requireVersion(input.expectedVersion, toPartnerView(before, [], null))
      const changes = changesOf(before, input, now)
      if (Object.keys(changes).length > 0) await writePartner(trx, locked.id, changes)
      const margin = await setMargin(trx, locked.id, input, { now, email: caller.email })
      const after = await readRecord(trx, locked.id, now)
      await recordUpdate(ctx, trx, caller, { before, after, margin, reason: input.reason })
      return locked.id
    })
    .catch(rejectTakenDomain)
  return readPartnerView(services, id, null)
}

interface Updated {
  before: PartnerRecord
  after: PartnerRecord
  margin: Awaited<ReturnType<typeof setMargin>>
  reason: string | undefined
}

async function recordUpdate(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  { before, after, margin, reason }: Updated,
): Promise<void> {
  const note = reason === undefined ? {} : { reason }
  if (before.status !== after.status) {
    const action: AuditAction =
      after.status === 'suspended' ? 'partner.suspended' : 'partner.resumed'
    await recordPartner(ctx, trx, caller, after, action, {
      changes: { status: [before.status, after.status] },
      ...note,
    })
  }
  if (margin) {
    const { marginPct, effectiveFrom } = margin.set
    const metadata = { changes: { marginPct: [margin.before, marginPct] }, effectiveFrom, ...note }
    await recordPartner(ctx, trx, caller, after, 'partner.margin_changed', metadata)
  }
  const changes = changedFields(flat(before), flat(after), Object.keys(flat(after)))
  if (Object.keys(changes).length > 0)
    await recordPartner(ctx, trx, caller, after, 'partner.updated', { changes })
}

/**
 * Ends a partner for good: its staff have no access from the next request on, its tenants keep the
 * reference, what it earned stays payable. Throws AppError `partner_terminated` the second time.
 */
export async function terminatePartner(
  ctx: Context,
  caller: Caller,
  input: TerminatePartner,
): Promise<void> {
  const { services } = ctx
  await services.database.db.transaction().execute(async (trx) => {
    const found = await lockLivePartner(trx, input.slug)
    await writePartner(trx, found.id, { status: 'terminated', terminated_at: services.clock.now() })
    await recordPartner(ctx, trx, caller, found, 'partner.terminated', {
      changes: { status: [found.status, 'terminated'] },
      ...(input.reason === undefined ? {} : { reason: input.reason }),
    })
  })
}

async function lockLivePartner(trx: Trx, slug: string): Promise<PartnerRow> {
  const partner = isSlugShaped(slug) ? await lockPartner(trx, slug) : undefined
  if (!partner) throw new AppError('not_found', errorText('unknownPartnerSlug'))
  if (partner.status === 'terminated') throw new AppError('partner_terminated')
  return partner
}

async function readRecord(trx: Trx, id: string, now: Date): Promise<PartnerRecord> {
  const row = await readPartner(trx, id, dayOf(now))
  if (!row) throw new AppError('not_found', errorText('unknownPartnerSlug'))
  return row
}

function changesOf(before: PartnerRecord, input: UpdatePartner, now: Date): PartnerChanges {
  const provided = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const billing = { ...before.billingInfo, ...provided(input.billingInfo ?? {}) }
  const vatTouched = input.billingInfo?.vatNumber !== undefined
  return {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.domain === undefined ? {} : { domain: input.domain }),
    ...(input.status === undefined || input.status === before.status
      ? {}
      : statusChange(input.status, input.reason, now)),
    ...(input.contactInfo === undefined
      ? {}
      : { contact: { ...before.contactInfo, ...provided(input.contactInfo) } }),
    // An unchanged number is not checked again, so that one accepted under older rules does not
    // block other changes.
    ...(input.billingInfo === undefined
      ? {}
      : {
          billing: vatTouched ? checkedBillingInfo(billing, 'billingInfo.').billingInfo : billing,
        }),
  }
}

function statusChange(
  status: 'active' | 'suspended',
  reason: string | undefined,
  now: Date,
): PartnerChanges {
  if (status === 'active') return { status, suspended_at: null, suspended_reason: null }
  return { status, suspended_at: now, suspended_reason: reason ?? null }
}

/** What an update changes beside status and margin, each under the name that the API gives it. */
function flat({ name, domain, contactInfo, billingInfo }: PartnerRecord): Record<string, unknown> {
  const prefixed = (prefix: string, fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [`${prefix}.${field}`, value]),
    )
  return {
    name,
    domain,
    ...prefixed('contactInfo', contactInfo),
    ...prefixed('billingInfo', billingInfo),
  }
}
