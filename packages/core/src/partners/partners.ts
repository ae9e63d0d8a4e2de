import { z } from 'zod'
import { BillingInfo, BillingInfoView, vatStatus } from '../billing/billing-info.ts'
import { minorAmount } from '../billing/money.ts'
import { ContrastWarning } from '../branding/contrast.ts'
import { domainName } from '../mail/domains.ts'
import { editVersion, expectedVersion, namesAField } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, emailAddress, hexColor, instant, line } from '../platform/text.ts'
import { Warning } from '../platform/warnings.ts'
import { tenantSlug } from '../tenants/slugs.ts'
import { plan, suspensionMode, TenantHealth, tenantStatus } from '../tenants/tenants.ts'
import { phoneNumber } from '../users/users.ts'
import {
  type PartnerAccess,
  type PartnerStatus,
  partnerAccess,
  partnerAccesses,
  partnerStatus,
  partnerStatuses,
} from './partner-access.ts'

export {
  type PartnerAccess,
  type PartnerStatus,
  partnerAccess,
  partnerAccesses,
  partnerStatus,
  partnerStatuses,
}

/**
 * Monthly recurring revenue in one currency, in its minor unit: the yearly amounts are summed
 * first, then divided once.
 */
export const RecurringRevenue = z.object({ currency: z.string(), mrrMinor: minorAmount })
export type RecurringRevenue = z.infer<typeof RecurringRevenue>

/** A share in percent, 0 to 100, with at most two decimals. */
export const marginPct = z
  .number()
  .min(0, says('between', { from: 0, to: 100 }))
  .max(100, says('between', { from: 0, to: 100 }))
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, says('twoDecimals'))

export const ContactInfo = z.strictObject({
  name: line(200).nullish(),
  email: emailAddress.nullish(),
  phone: phoneNumber.nullish(),
})
export type ContactInfo = z.infer<typeof ContactInfo>

const ContactInfoView = z.object({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
})
export type ContactInfoView = z.infer<typeof ContactInfoView>

const day = calendarDate()

const MarginStep = z.object({ marginPct: z.number(), effectiveFrom: z.string() })

/**
 * What operators and the partner's staff see of a partner. Null in `margin` and `mrr`: the caller's
 * access level does not show it.
 */
export const PartnerView = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  domain: z.string().nullable(),
  status: partnerStatus,
  suspendedReason: z.string().nullable(),
  suspendedAt: instant.nullable(),
  terminatedAt: instant.nullable(),
  /** The margin in force today. */
  marginPct: z.number().nullable(),
  /** The next margin that is set already. */
  nextMargin: MarginStep.nullable(),
  contactInfo: ContactInfoView,
  billingInfo: BillingInfoView,
  vatStatus,
  warnings: z.array(Warning),
  /** Tenants of the partner that are not deleted. */
  customers: z.number().int(),
  staff: z.number().int(),
  mrr: z.array(RecurringRevenue).nullable(),
  /** The caller's own level; null for operators. */
  access: partnerAccess.nullable(),
  editVersion,
  createdAt: instant,
  updatedAt: instant,
})
export type PartnerView = z.infer<typeof PartnerView>

export const PartnerPage = page(PartnerView)
export type PartnerPage = z.infer<typeof PartnerPage>

const slug = z.string().max(200)

/**
 * Names a partner by its path. Accepts any text, so that an impossible slug gets the same response
 * as an unknown one.
 */
export const PartnerPath = z.strictObject({ slug })
export type PartnerPath = z.infer<typeof PartnerPath>

/** Without `slug` it is made from the name. `marginPct` holds from today. */
export const CreatePartner = z.strictObject({
  name: line(100),
  slug: tenantSlug.optional(),
  domain: domainName.nullish(),
  marginPct: marginPct.optional(),
  contactInfo: ContactInfo.optional(),
  billingInfo: BillingInfo.optional(),
})
export type CreatePartner = z.infer<typeof CreatePartner>

export const ListPartners = z.strictObject({
  q: line(200).optional(),
  status: partnerStatus.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListPartners = z.infer<typeof ListPartners>

/** What is absent stays, null clears. `reason` goes with a suspension, its end or a margin. */
export const UpdatePartner = z
  .strictObject({
    slug,
    name: line(100).optional(),
    domain: domainName.nullable().optional(),
    status: z.enum(['active', 'suspended']).optional(),
    reason: line(500).optional(),
    marginPct: marginPct.optional(),
    /** A first of a month that is not past. A partner's first margin may hold from today. */
    marginEffectiveFrom: day.optional(),
    contactInfo: ContactInfo.optional(),
    billingInfo: BillingInfo.optional(),
    expectedVersion,
  })
  .refine(
    ({ slug: _, reason: __, expectedVersion: ___, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .refine(
    ({ marginPct: pct, marginEffectiveFrom }) =>
      marginEffectiveFrom === undefined || pct !== undefined,
    {
      path: ['marginEffectiveFrom'],
      ...says('onlyWithMargin'),
    },
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdatePartner = z.infer<typeof UpdatePartner>

export const TerminatePartner = z.strictObject({ slug, reason: line(500).optional() })
export type TerminatePartner = z.infer<typeof TerminatePartner>

const pageOf = { slug, cursor: cursor.optional(), limit: pageLimit }

export const ListPartnerTenants = z.strictObject({
  ...pageOf,
  q: line(200).optional(),
  status: tenantStatus.optional(),
})
export type ListPartnerTenants = z.infer<typeof ListPartnerTenants>

/** Every margin a partner had, has and is going to have, latest first. */
export const PartnerMargins = z.object({
  items: z.array(
    MarginStep.extend({
      state: z.enum(['past', 'current', 'upcoming']),
      setBy: z.string().nullable(),
      reason: z.string().nullable(),
      createdAt: instant,
    }),
  ),
})
export type PartnerMargins = z.infer<typeof PartnerMargins>

/**
 * A customer of a partner: a tenant as the list shows it. `mrr` is null where the caller's access
 * level does not show it.
 */
export const CustomerView = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  status: tenantStatus,
  suspendedReason: z.string().nullable(),
  suspensionMode: suspensionMode.nullable(),
  plan,
  seats: z.number().int(),
  members: z.number().int(),
  industry: z.string().nullable(),
  brandColor: z.string().nullable(),
  primaryDomain: z.string().nullable(),
  owner: z.object({ email: z.string(), name: z.string() }).nullable(),
  health: TenantHealth,
  mrr: z.array(RecurringRevenue).nullable(),
  editVersion,
  createdAt: instant,
  updatedAt: instant,
})
export type CustomerView = z.infer<typeof CustomerView>

export const CustomerPage = page(CustomerView)
export type CustomerPage = z.infer<typeof CustomerPage>

export const ListCustomers = z.strictObject({
  ...pageOf,
  q: line(200).optional(),
  status: tenantStatus.optional(),
})
export type ListCustomers = z.infer<typeof ListCustomers>

export const UpdateCustomer = z
  .strictObject({
    slug,
    tenantSlug: z.string().max(200),
    plan: plan.optional(),
    seats: z.number().int().min(0).max(1_000_000).optional(),
    name: line(100).optional(),
    industry: line(100).nullable().optional(),
    brandColor: hexColor.nullable().optional(),
    expectedVersion,
  })
  .refine(
    ({ slug: _, tenantSlug: __, expectedVersion: ___, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateCustomer = z.infer<typeof UpdateCustomer>

export const SuspendCustomer = z.strictObject({
  slug,
  tenantSlug: z.string().max(200),
  reason: line(500).optional(),
  mode: suspensionMode.default('no_sign_in'),
})
export type SuspendCustomer = z.infer<typeof SuspendCustomer>

export const ResumeCustomer = z.strictObject({
  slug,
  tenantSlug: z.string().max(200),
  reason: line(500).optional(),
})
export type ResumeCustomer = z.infer<typeof ResumeCustomer>

/** How a partner works with its customers. Null is not set. */
export const PartnerSettingsView = z.object({
  supportEmail: z.string().nullable(),
  supportPhone: z.string().nullable(),
  supportUrl: z.string().nullable(),
  /** What a new customer starts with when nothing is said. */
  defaultPlan: plan,
  defaultSeats: z.number().int(),
  /** Where mails to the partner go; null is its contact address. */
  noticeEmail: z.string().nullable(),
  editVersion,
  updatedAt: instant,
})
export type PartnerSettingsView = z.infer<typeof PartnerSettingsView>

const webAddress = z
  .string()
  .max(500)
  .refine(
    (value) => URL.canParse(value) && new URL(value).protocol === 'https:',
    says('httpsAddress'),
  )
  .meta({ openapi: { format: 'uri', pattern: '^https://[A-Za-z0-9.-]+(?:[/?#][!-~]*)?$' } })

/** What is absent stays, null goes back to the standard. */
export const UpdatePartnerSettings = z
  .strictObject({
    slug,
    supportEmail: emailAddress.nullable().optional(),
    supportPhone: phoneNumber.nullable().optional(),
    supportUrl: webAddress.nullable().optional(),
    defaultPlan: plan.nullable().optional(),
    defaultSeats: z.number().int().min(0).max(1_000_000).nullable().optional(),
    noticeEmail: emailAddress.nullable().optional(),
    expectedVersion,
  })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdatePartnerSettings = z.infer<typeof UpdatePartnerSettings>

/**
 * Whom the people of a tenant turn to first: the partner that looks after it. Null where the
 * platform does so itself.
 */
export const TenantSupport = z.object({
  partner: z
    .object({
      name: z.string(),
      supportEmail: z.string().nullable(),
      supportPhone: z.string().nullable(),
      supportUrl: z.string().nullable(),
    })
    .nullable(),
})
export type TenantSupport = z.infer<typeof TenantSupport>

/**
 * How a partner looks to its customers. What is null is not set; `effective` says what is used
 * then.
 */
export const PartnerBrandingView = z.object({
  productName: z.string().nullable(),
  accentColor: z.string().nullable(),
  effective: z.object({ productName: z.string(), accentColor: z.string(), textColor: z.string() }),
  /** About the effective accent colour; they reject nothing. */
  warnings: z.array(ContrastWarning),
  editVersion,
  updatedAt: instant,
})
export type PartnerBrandingView = z.infer<typeof PartnerBrandingView>

/** What is absent stays, null goes back to the standard. */
export const UpdatePartnerBranding = z
  .strictObject({
    slug,
    productName: line(60).nullable().optional(),
    accentColor: hexColor.nullable().optional(),
    expectedVersion,
  })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdatePartnerBranding = z.infer<typeof UpdatePartnerBranding>
