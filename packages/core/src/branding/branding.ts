import { z } from 'zod'
import { editVersion, expectedVersion, namesAField } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { language } from '../platform/language.ts'
import { hexColor, instant, line, lines } from '../platform/text.ts'
import { ContrastWarning } from './contrast.ts'
import { templateKeys } from './template-keys.ts'

/** The accent colour of tenants that chose none and have no brand colour. */
export const standardAccentColor = '#1f6feb'

export const templateKey = z.enum(templateKeys)

export const templateLimits = { subject: 300, html: 60_000, text: 20_000 } as const

/** An override of a message, in Liquid. Without `html` the message has a text part only. */
export const EmailTemplate = z.strictObject({
  subject: line(templateLimits.subject),
  html: lines(templateLimits.html).nullish(),
  text: lines(templateLimits.text),
})
export type EmailTemplate = z.infer<typeof EmailTemplate>

const TemplateTextView = z.object({
  subject: z.string(),
  html: z.string().nullable(),
  text: z.string(),
})
export type TemplateTextView = z.infer<typeof TemplateTextView>

const TemplateView = z.object({
  key: templateKey,
  title: z.string(),
  description: z.string(),
  variables: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      sample: z.union([z.string(), z.array(z.string())]),
    }),
  ),
  /** What goes out unless it is overridden, in the view's `standardLanguage`. */
  standard: TemplateTextView,
  override: TemplateTextView.extend({ updatedAt: instant }).nullable(),
})

/** A tenant's branding. What is null is not set; `effective` says what is used then. */
export const BrandingView = z.object({
  productName: z.string().nullable(),
  accentColor: z.string().nullable(),
  effective: z.object({
    productName: z.string(),
    accentColor: z.string(),
    /** The text colour that is read best on the accent colour. */
    textColor: z.string(),
  }),
  /** About the effective accent colour; they reject nothing. */
  warnings: z.array(ContrastWarning),
  /** The language of the standard texts. */
  standardLanguage: language,
  templates: z.array(TemplateView),
  editVersion,
  updatedAt: instant.nullable(),
})
export type BrandingView = z.infer<typeof BrandingView>

const slug = z.string().max(200)

/**
 * The language of the standard texts. Absent: that of the tenant, else that of the reader. Mails go
 * out in the recipient's language.
 */
const standardLanguage = language.optional()

export const GetBranding = z.strictObject({ slug, language: standardLanguage })
export type GetBranding = z.infer<typeof GetBranding>

/** What is absent stays, null goes back to the standard. */
export const UpdateBranding = z
  .strictObject({
    slug,
    productName: line(60).nullable().optional(),
    accentColor: hexColor.nullable().optional(),
    emailTemplates: z.partialRecord(templateKey, EmailTemplate.nullable()).optional(),
    expectedVersion,
  })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdateBranding = z.infer<typeof UpdateBranding>

/**
 * A draft is shown as it would be sent and not saved; without one the tenant's own text is shown,
 * or the standard.
 */
export const PreviewBranding = z.strictObject({
  slug,
  template: templateKey,
  language: standardLanguage,
  draft: EmailTemplate.optional(),
  productName: line(60).nullable().optional(),
  accentColor: hexColor.nullable().optional(),
})
export type PreviewBranding = z.infer<typeof PreviewBranding>

/** A rendered message. `html` comes from people and belongs into a frame without scripts. */
export const BrandingPreview = z.object({
  subject: z.string(),
  html: z.string().nullable(),
  text: z.string(),
  warnings: z.array(ContrastWarning),
})
export type BrandingPreview = z.infer<typeof BrandingPreview>
