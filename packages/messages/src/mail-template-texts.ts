import { catalogue } from './catalogue.ts'
import de from './de/server/mail-templates.json' with { type: 'json' }
import en from './en/server/mail-templates.json' with { type: 'json' }

export type MailTemplateMessages = typeof en

/** What mails are called, when they are sent, and what the variables of their texts mean. */
export const mailTemplateTexts = catalogue({ en, de })
