import de from './de/mail/visitor.json' with { type: 'json' }
import en from './en/mail/visitor.json' with { type: 'json' }
import type { Language } from './languages.ts'

/**
 * Parts of the mails to visitors and their guests. Unlike everything else in the catalogue they are
 * Liquid templates, which tenants may replace by their own.
 */
export type VisitorMailTexts = typeof en
export const visitorMailTexts: Readonly<Record<Language, VisitorMailTexts>> = { en, de }
