import { catalogue } from './catalogue.ts'
import deVisitor from './de/mail/visitor.json' with { type: 'json' }
import deMail from './de/server/mail.json' with { type: 'json' }
import enVisitor from './en/mail/visitor.json' with { type: 'json' }
import enMail from './en/server/mail.json' with { type: 'json' }
import type { Language } from './languages.ts'

/** What stands around the texts of mails, and in place of names that must not be in them. */
export const mailTexts = catalogue({ en: enMail, de: deMail })
export type MailText = ReturnType<typeof mailTexts>

/**
 * Parts of the mails to visitors and their guests. Unlike everything else in the catalogue they are
 * Liquid templates, which tenants may replace by their own.
 */
export type VisitorMailTexts = typeof enVisitor
export const visitorMailTexts: Readonly<Record<Language, VisitorMailTexts>> = {
  en: enVisitor,
  de: deVisitor,
}
