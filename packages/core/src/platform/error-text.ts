import type { ErrorMessages } from '@atrium/messages/error-texts'

type Key<Part extends keyof ErrorMessages> = `${Part}.${keyof ErrorMessages[Part] & string}`
export type ErrorTextKey =
  | Key<'titles'>
  | Key<'details'>
  | 'limits.limit'
  | 'limits.reached'
  | 'limits.reachedUntil'
  | `limits.counts.${keyof ErrorMessages['limits']['counts']}`
  | `limits.spans.${keyof ErrorMessages['limits']['spans']}`
  | `limits.per.${keyof ErrorMessages['limits']['per']}`

/**
 * A sentence of the catalogue (`server/errors.json`) that is not rendered yet: `AppError` carries
 * it, and the response is written in the caller's language.
 */
export interface ErrorText {
  readonly key: ErrorTextKey
  /**
   * Arguments of the message. A text among them is written in the same language, several become a
   * list: "a, b and c". A date is written as its day in UTC.
   */
  readonly values: Readonly<Record<string, ErrorValue>>
}

export type ErrorValue =
  | string
  | number
  | Date
  | Amount
  | ErrorText
  | readonly (ErrorText | string)[]

/** Minor units of the currency. */
export interface Amount {
  readonly amount: bigint
  readonly currency: string
}

/** A sentence of `details` in `server/errors.json`, for `new AppError(code, errorText(…))`. */
export function errorText(
  key: keyof ErrorMessages['details'],
  values: Readonly<Record<string, ErrorValue>> = {},
): ErrorText {
  return { key: `details.${key}`, values }
}
