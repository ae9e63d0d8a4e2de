import { catalogue } from './catalogue.ts'
import de from './de/server/domain-checks.json' with { type: 'json' }
import en from './en/server/domain-checks.json' with { type: 'json' }

export type DomainCheckMessages = typeof en

/** What a check of a domain's DNS records found. */
export const domainCheckTexts = catalogue({ en, de })
