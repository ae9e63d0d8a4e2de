import type { PageLanguage } from '@atrium/messages/languages'
import type { MailTemplateMessages } from '@atrium/messages/mail-template-texts'

type Variables = MailTemplateMessages['variables']
/** The name of a description in `variables` of `server/mail-templates.json`. */
export type VariableKey = {
  [Group in keyof Variables]: Variables[Group] extends string
    ? Group
    : `${Group}.${keyof Variables[Group] & string}`
}[keyof Variables]

/**
 * A value that a template may use, by its dotted name. Previews use `sample`; a list makes it a
 * value to loop over.
 */
export interface TemplateVariable {
  readonly name: VariableKey
  /** Where templates mean different things by one name. */
  readonly describedAs?: VariableKey
  readonly sample: string | readonly string[]
}

export interface TemplateText {
  readonly subject: string
  /** Null: the message has a text part only. */
  readonly html: string | null
  readonly text: string
}

export interface TemplateDefinition {
  readonly variables: readonly TemplateVariable[]
  /** What goes out unless a tenant replaced it. */
  readonly standard: (language: PageLanguage) => TemplateText
}

/**
 * What every template may use. Product name and colours come from the tenant's branding, in
 * previews too.
 */
export const commonVariables: readonly TemplateVariable[] = [
  {
    name: 'product.name',
    sample: 'Acme Workplace',
  },
  { name: 'product.accentColor', sample: '#1f6feb' },
  {
    name: 'product.textColor',
    sample: '#ffffff',
  },
  { name: 'tenant.name', sample: 'Acme' },
]

/**
 * A standard message in HTML: one column that every mail program shows, with an optional button. A
 * link that is empty brings no button.
 */
export function page(
  headline: string,
  paragraphs: readonly string[],
  button: { label: string; link: string } | undefined,
  language: PageLanguage,
): string {
  const body = paragraphs
    .map((paragraph) => `    <p style="margin:0 0 16px">${paragraph}</p>`)
    .join('\n')
  const action = button
    ? `\n    {% if ${button.link} != "" %}<p style="margin:24px 0"><a href="{{ ${button.link} }}" style="background:{{ product.accentColor }};color:{{ product.textColor }};padding:12px 20px;border-radius:6px;text-decoration:none;display:inline-block">${button.label}</a></p>{% endif %}`
    : ''
  return `<!doctype html>
<html lang="${language}">
  <head><meta charset="utf-8"><title>${headline}</title></head>
  <body style="margin:0 auto;max-width:560px;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1b1e;background:#ffffff">
    <h1 style="font-size:20px;margin:0 0 16px">${headline}</h1>
${body}${action}
    <p style="margin:32px 0 0;font-size:13px;color:#5c5f66">{{ product.name }}, {{ tenant.name }}</p>
  </body>
</html>
`
}

/**
 * A standard message in both forms, from the same sentences: headline, paragraphs, an optional
 * link. The value named in `bold` is bold in HTML.
 */
export function message(
  language: PageLanguage,
  parts: {
    subject: string
    headline: string
    paragraphs: readonly string[]
    action?: { label: string; link: string }
    bold?: string
  },
): TemplateText {
  const { subject, headline, paragraphs, action, bold } = parts
  const marked =
    bold === undefined
      ? paragraphs
      : paragraphs.map((text) => text.replace(`{{ ${bold} }}`, `<b>{{ ${bold} }}</b>`))
  const link = action
    ? `{% if ${action.link} != "" %}${action.label}: {{ ${action.link} }}

{% endif %}`
    : ''
  return {
    subject,
    html: page(headline, marked, action, language),
    text: `${[headline, ...paragraphs].join('\n\n')}

${link}{{ product.name }}
`,
  }
}
