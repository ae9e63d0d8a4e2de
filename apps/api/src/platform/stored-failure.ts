import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText, titleFailureText } from '@atrium/core/platform/failure-text'

/**
 * What a row holds of an attempt that failed. The title of an error is written so that each reader
 * gets it in their language; of an unforeseen error nothing is told.
 */
export function storedFailure(error: unknown): string {
  if (!(error instanceof AppError)) return stepFailureText('unforeseen')
  const { code, text, message } = error
  const isTitle = typeof text === 'object' && text.key === `titles.${code}`
  return isTitle ? titleFailureText(code) : message
}
