import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { scimList } from '@atrium/core/scim/schemas'
import { z } from 'zod'

/** A document about the service itself; `@atrium/core/scim/discovery` writes all of it. */
export const Definition = z.record(z.string(), z.unknown())
export const DefinitionList = scimList(Definition)

/** The one with this id. Throws AppError `not_found`. */
export function definition<Document extends { id: string }>(
  documents: readonly Document[],
  id: string,
): Document {
  const found = documents.find((document) => document.id === id)
  if (!found) throw new AppError('not_found', errorText('nothingAtAddress'))
  return found
}
