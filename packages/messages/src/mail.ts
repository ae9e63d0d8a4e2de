import { catalogue } from './catalogue.ts'
import de from './de/server/mail.json' with { type: 'json' }
import en from './en/server/mail.json' with { type: 'json' }

/** Texts around the texts of mails, and replacements for names that must not be in them. */
export const mailTexts = catalogue({ en, de })
export type MailText = ReturnType<typeof mailTexts>
