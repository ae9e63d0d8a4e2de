import type { PartnerStatus } from '@atrium/core/partners/partners'
import type { ColumnType, Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface PartnersTable {
  id: Generated<string>
  slug: string
  name: string
  status: Generated<PartnerStatus>
  domain: string | null
  margin_pct: ColumnType<string, number | string | undefined, number | string>
  contact_name: string | null
  contact_email: string | null
  contact_phone: string | null
  billing_company: string | null
  billing_vat_number: string | null
  billing_country: string | null
  billing_email: string | null
  billing_address: ColumnType<unknown, string | null | undefined, string | null>
  settings: ColumnType<unknown, string | undefined, string>
  branding: ColumnType<unknown, string | undefined, string>
  self_billing_consent_at: OptionalTimestamp
  suspended_at: OptionalTimestamp
  suspended_reason: string | null
  terminated_at: OptionalTimestamp
  created_at: Timestamp
  updated_at: Timestamp
}

export interface TenantPartnersTable {
  id: Generated<string>
  tenant_id: string
  partner_id: string
  valid_from: Timestamp
  valid_to: OptionalTimestamp
}

export interface PartnerMarginsTable {
  id: Generated<string>
  partner_id: string
  margin_pct: ColumnType<string, number | string, number | string>
  /** `2027-01-01` */
  effective_from: string
  set_by: string | null
  reason: string | null
  created_at: Timestamp
}

export interface PartnerTransfersTable {
  tenant_id: string
  /** SHA-256. */
  code_hash: Buffer
  created_by: string | null
  created_at: RequiredTimestamp
  expires_at: RequiredTimestamp
}

export interface PartnersTables {
  partners: PartnersTable
  tenant_partners: TenantPartnersTable
  partner_margins: PartnerMarginsTable
  partner_transfers: PartnerTransfersTable
}
