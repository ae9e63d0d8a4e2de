import type { BrandingPreview, PreviewBranding } from '@atrium/core/branding/branding'
import { contrastWarnings } from '@atrium/core/branding/contrast'
import { standardText } from '@atrium/core/branding/email-templates'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findBranding, listEmailTemplates } from '@atrium/db/branding/branding'
import type { Services } from '../rpc/services.ts'
import { effectiveBranding, standardLanguage } from './get.ts'
import { sampleValues } from './samples.ts'

/**
 * Renders one message with sample data: the draft where one is given, else the tenant's text, else
 * the standard. Nothing is saved, so a suspended tenant may look. 400 `invalid_input` with line and
 * column for a draft that could not be saved either.
 */
export async function previewBranding(
  { database, templates }: Services,
  tenantId: string,
  input: PreviewBranding,
): Promise<BrandingPreview> {
  const row = await findBranding(database.db, tenantId)
  if (!row) throw new AppError('not_found')
  const branding = effectiveBranding({
    ...row,
    ...(input.productName === undefined ? {} : { productName: input.productName }),
    ...(input.accentColor === undefined ? {} : { accentColor: input.accentColor }),
  })
  const saved = (await listEmailTemplates(database.db, tenantId)).find(
    ({ key }) => key === input.template,
  )
  const draft = input.draft && { ...input.draft, html: input.draft.html ?? null }
  const own = draft ?? saved
  if (own) {
    // A saved text may name a variable that a later version of the platform took away.
    const issues = await templates.check(tenantId, {
      key: input.template,
      template: own,
      path: draft ? 'draft' : 'template',
    })
    if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  }
  const values = {
    ...sampleValues(input.template),
    product: {
      name: branding.productName,
      accentColor: branding.accentColor,
      textColor: branding.textColor,
    },
    tenant: { name: row.tenantName },
  }
  try {
    const message = own
      ? await templates.render(tenantId, { template: own, values })
      : (await import('./render.ts')).renderMessage(
          standardText(input.template, standardLanguage(row, input.language)),
          values,
        )
    return { ...message, warnings: contrastWarnings(branding.accentColor) }
  } catch (cause) {
    if (!own) throw cause
    // One that came close to the limits of time and memory may pass the trial and exceed them at
    // the next rendering.
    const message = errorText('templateTooExpensive')
    throw new AppError('invalid_input', undefined, {
      cause,
      issues: [{ path: draft ? 'draft' : 'template', message }],
    })
  }
}
