import type { CallOptions } from '../call-options.ts'

/** What the authority said of a VAT number. */
export interface VatCheckResult {
  valid: boolean
  /** As registered; null where the country does not tell. */
  name: string | null
  address: string | null
  /** Proof of the question; null when it was asked in nobody's name. */
  consultationNumber: string | null
  /** When the authority answered. */
  answeredAt: Date
}

/** The register of VAT numbers of the European Union. */
export interface VatRegistry {
  /**
   * Asks about a number with its prefix, such as `EL094259216`. Rejects with `UpstreamError` when
   * the register or the country's part of it gives no answer: that says nothing of the number.
   */
  checkNumber(vatNumber: string, options?: CallOptions): Promise<VatCheckResult>
}
