import deAddresses from './de/mail/addresses.json' with { type: 'json' }
import deBilling from './de/mail/billing.json' with { type: 'json' }
import deDomains from './de/mail/domains.json' with { type: 'json' }
import deHost from './de/mail/host.json' with { type: 'json' }
import deMember from './de/mail/member.json' with { type: 'json' }
import dePlatform from './de/mail/platform.json' with { type: 'json' }
import deVisitor from './de/mail/visitor.json' with { type: 'json' }
import enAddresses from './en/mail/addresses.json' with { type: 'json' }
import enBilling from './en/mail/billing.json' with { type: 'json' }
import enDomains from './en/mail/domains.json' with { type: 'json' }
import enHost from './en/mail/host.json' with { type: 'json' }
import enMember from './en/mail/member.json' with { type: 'json' }
import enPlatform from './en/mail/platform.json' with { type: 'json' }
import enVisitor from './en/mail/visitor.json' with { type: 'json' }
import { type PageLanguage, pseudoLanguage } from './languages.ts'
import { inBrackets } from './pseudo.ts'

/**
 * Subjects and sentences of mails, by the file they are in. Unlike everything else in the catalogue
 * they are Liquid templates, which tenants may replace by their own.
 */
export interface MailTemplates {
  addresses: typeof enAddresses
  billing: typeof enBilling
  domains: typeof enDomains
  host: typeof enHost
  member: typeof enMember
  platform: typeof enPlatform
  visitor: typeof enVisitor
}

const en: MailTemplates = {
  addresses: enAddresses,
  billing: enBilling,
  domains: enDomains,
  host: enHost,
  member: enMember,
  platform: enPlatform,
  visitor: enVisitor,
}
const de: MailTemplates = {
  addresses: deAddresses,
  billing: deBilling,
  domains: deDomains,
  host: deHost,
  member: deMember,
  platform: dePlatform,
  visitor: deVisitor,
}

export const mailTemplates: Readonly<Record<PageLanguage, MailTemplates>> = {
  en,
  de,
  [pseudoLanguage]: inBrackets(en),
}
