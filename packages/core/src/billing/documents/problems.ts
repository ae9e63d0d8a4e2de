import { z } from 'zod'

/**
 * Why a document can't be issued yet. `seller`: settings of the installation are missing.
 * `processor`: the payment processor's data of it has not been read. `totals`: lines and totals of
 * the payment processor differ.
 */
export const documentProblems = [
  'seller',
  'buyer_name',
  'buyer_address',
  'buyer_vat_number',
  'partner_address',
  'partner_vat_number',
  'tax_rate',
  'tax_unknown',
  'totals',
  'processor',
  'corrected_document',
] as const
export const documentProblem = z.enum(documentProblems)
export type DocumentProblem = z.infer<typeof documentProblem>
