import { z } from 'zod'
import { instant, line } from '../../platform/text.ts'
import { documentKind } from './document.ts'
import { documentProblem } from './problems.ts'

/** The street and the city of an address; its country is part of the billing data. */
export const BillingAddress = z.object({
  line1: line(200),
  line2: line(200).nullish(),
  postalCode: line(20).nullish(),
  city: line(100),
  region: line(100).nullish(),
})
export type BillingAddress = z.infer<typeof BillingAddress>

export const BillingAddressView = z.object({
  line1: z.string(),
  line2: z.string().nullable(),
  postalCode: z.string().nullable(),
  city: z.string(),
  region: z.string().nullable(),
})
export type BillingAddressView = z.infer<typeof BillingAddressView>

/** Null: none was given yet, and no document can be issued. */
export const BillingAddressState = z.object({ address: BillingAddressView.nullable() })
export type BillingAddressState = z.infer<typeof BillingAddressState>

/** Replaces the whole address. */
export const SetBillingAddress = z.strictObject({
  slug: z.string().max(200),
  ...BillingAddress.shape,
})
export type SetBillingAddress = z.infer<typeof SetBillingAddress>

/** A document of an invoice: the invoice itself, a credit note, or what cancels one of them. */
export const DocumentView = z.object({
  id: z.uuid(),
  kind: documentKind,
  cancels: z.boolean(),
  number: z.string().nullable(),
  /** Null while it waits; `problems` says what for. */
  issuedAt: instant.nullable(),
  problems: z.array(documentProblem),
  /** It can be downloaded as XML too. */
  xml: z.boolean(),
})
export type DocumentView = z.infer<typeof DocumentView>
export const DocumentList = z.object({ items: z.array(DocumentView) })
export type DocumentList = z.infer<typeof DocumentList>

export const documentFormats = ['pdf', 'xml'] as const
export const DownloadDocument = z.strictObject({
  slug: z.string().max(200),
  documentId: z.string().max(200),
  format: z.enum(documentFormats).default('pdf'),
})
export type DownloadDocument = z.infer<typeof DownloadDocument>

export const DocumentOverview = z.object({
  /** Names of settings that are missing: until they are there, nothing is issued. */
  missingSettings: z.array(z.string()),
  /** Documents that wait, oldest first. */
  pending: z.array(
    z.object({
      owner: z.enum(['tenant', 'partner']),
      slug: z.string(),
      kind: documentKind,
      number: z.string().nullable(),
      problems: z.array(documentProblem),
      since: instant,
    }),
  ),
  /** Numbers of invoices that are missing in a series. */
  gaps: z.array(z.object({ prefix: z.string(), from: z.number().int(), to: z.number().int() })),
})
export type DocumentOverview = z.infer<typeof DocumentOverview>
