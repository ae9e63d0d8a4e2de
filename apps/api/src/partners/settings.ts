import { changedFields } from '@atrium/core/audit/audit'
import type {
  PartnerSettingsView,
  TenantSupport,
  UpdatePartnerSettings,
} from '@atrium/core/partners/partners'
import {
  findPartnerProfile,
  findPartnerSupport,
  savePartnerProfile,
} from '@atrium/db/partners/partners'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Context } from '../rpc/context.ts'
import { requireVersion, withEditVersion } from '../rpc/edit-version.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import { lockOwnPartner, recordPartner } from '../rpc/partner-lock.ts'
import type { Services } from '../rpc/services.ts'

type Settings = Omit<PartnerSettingsView, 'editVersion' | 'updatedAt'>

const standard: Settings = {
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
  defaultPlan: 'free',
  defaultSeats: 0,
  noticeEmail: null,
}

export function getPartnerSettings(
  { database }: Services,
  { partner }: OwnPartner,
): Promise<PartnerSettingsView> {
  return readSettings(database.db, partner.id)
}

/** What a partner has set, and the standard where it has set nothing. */
export async function readSettings(db: Db | Trx, partnerId: string): Promise<PartnerSettingsView> {
  const { content, updatedAt } = await findPartnerProfile<Settings>(db, partnerId, 'settings')
  const settings = { ...standard, ...content }
  const { supportEmail, supportPhone, supportUrl, defaultPlan, defaultSeats, noticeEmail } =
    settings
  const editable = [supportEmail, supportPhone, supportUrl, defaultPlan, defaultSeats, noticeEmail]
  return withEditVersion({ ...settings, updatedAt: updatedAt.toISOString() }, editable)
}

/** Whom the people of a tenant turn to first. */
export async function getTenantSupport(
  { database }: Services,
  { tenant }: Access,
): Promise<TenantSupport> {
  const support =
    tenant.partnerId === null ? undefined : await findPartnerSupport(database.db, tenant.partnerId)
  return { partner: support ?? null }
}

/** Changes the fields that are given; null goes back to the standard. */
export async function updatePartnerSettings(
  ctx: Context,
  proof: OwnPartner,
  input: UpdatePartnerSettings,
): Promise<PartnerSettingsView> {
  const { slug: _, expectedVersion, ...changes } = input
  return ctx.services.database.db.transaction().execute(async (trx) => {
    const partner = await lockOwnPartner(trx, proof, 'manageCustomers')
    const before = await readSettings(trx, partner.id)
    requireVersion(expectedVersion, before)
    await savePartnerProfile(trx, partner.id, 'settings', changes)
    const after = await readSettings(trx, partner.id)
    const changed = changedFields(before, after, Object.keys(standard))
    if (Object.keys(changed).length > 0)
      await recordPartner(ctx, trx, proof.caller, partner, 'partner_settings.updated', {
        changes: changed,
      })
    return after
  })
}
