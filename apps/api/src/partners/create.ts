import type { CreatePartner, PartnerView } from '@atrium/core/partners/partners'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isReservedSlug, slugify } from '@atrium/core/tenants/slugs'
import { insertPartner, saveMargin } from '@atrium/db/partners/partners'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { checkedBillingInfo } from '../billing/billing-info/check.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { recordPartner } from '../rpc/partner-lock.ts'
import type { Services } from '../rpc/services.ts'
import { dayOf, readPartnerView } from './view.ts'

/**
 * Creates a partner, active at once. Without a slug it is made from the name. Throws AppError
 * `already_exists` when the slug or the domain is another partner's (the slug of a terminated one
 * too), `invalid_input` for a name that gives no slug or a VAT number of a wrong form.
 */
export async function createPartner(
  ctx: Context,
  caller: Caller,
  input: CreatePartner,
): Promise<PartnerView> {
  const { services } = ctx
  const slug = chooseSlug(services, input)
  const partner = {
    slug,
    name: input.name,
    domain: input.domain ?? null,
    contact: {
      name: input.contactInfo?.name ?? null,
      email: input.contactInfo?.email ?? null,
      phone: input.contactInfo?.phone ?? null,
    },
    billing: checkedBillingInfo(input.billingInfo ?? {}, 'billingInfo.').billingInfo,
  }
  const id = await services.database.db
    .transaction()
    .execute(async (trx) => {
      const inserted = await insertPartner(trx, partner)
      if (!inserted) throw slugTaken(input)
      if (input.marginPct !== undefined) {
        const effectiveFrom = dayOf(services.clock.now())
        await saveMargin(trx, inserted.id, {
          marginPct: input.marginPct,
          effectiveFrom,
          setBy: caller.email ?? null,
          reason: null,
        })
      }
      const created = { id: inserted.id, slug, name: input.name }
      await recordPartner(ctx, trx, caller, created, 'partner.created', {
        marginPct: input.marginPct ?? 0,
      })
      return inserted.id
    })
    .catch(rejectTakenDomain)
  return readPartnerView(services, id, null)
}

function chooseSlug(services: Services, input: CreatePartner): string {
  const reject = (path: string, message: ErrorText) =>
    new AppError('invalid_input', undefined, { issues: [{ path, message }] })
  const slug = input.slug ?? slugify(input.name)
  if (slug === undefined) throw reject('slug', errorText('noSlugFromName'))
  if (isReservedSlug(slug, Object.values(services.config.groups))) {
    throw input.slug === undefined
      ? reject('slug', errorText('slugFromNameReserved', { slug }))
      : reject('slug', errorText('reservedName'))
  }
  return slug
}

function slugTaken(input: CreatePartner): AppError {
  const message = errorText('partnerSlugTaken')
  return new AppError('already_exists', message, {
    issues: [{ path: input.slug === undefined ? 'name' : 'slug', message }],
  })
}

/**
 * A domain that another partner has becomes a rejection at its field; every other failure passes.
 */
export function rejectTakenDomain(error: unknown): never {
  if (violatedConstraint(error) !== 'partners_domain') throw error
  const message = errorText('partnerDomainTaken')
  throw new AppError('already_exists', message, {
    cause: error,
    issues: [{ path: 'domain', message }],
  })
}
