import { templateDefinition } from '@atrium/core/branding/email-templates'
import type { MailTemplateKey } from '@atrium/core/branding/template-keys'
import type { TemplateValues } from '../platform/templates.ts'

/**
 * The sample values of a message as its template reads them: `booking.title` becomes a field of
 * `booking`.
 */
export function sampleValues(key: MailTemplateKey): TemplateValues {
  const values: Record<
    string,
    Record<string, string | readonly string[]> | string | readonly string[]
  > = {}
  for (const { name, sample } of templateDefinition(key).variables) {
    const [group = '', field] = name.split('.')
    if (field === undefined) values[group] = sample
    else values[group] = { ...(values[group] as Record<string, string>), [field]: sample }
  }
  return values
}
