import { mailGroupOf } from '@atrium/core/account/notifications'
import { standardAccentColor } from '@atrium/core/branding/branding'
import { textColorOn } from '@atrium/core/branding/contrast'
import { standardText } from '@atrium/core/branding/email-templates'
import { brandableKey } from '@atrium/core/branding/template-keys'
import type { MailValue } from '@atrium/core/outbox/outbox'
import { hasUnsafeCharacters } from '@atrium/core/platform/text'
import { holdsLink } from '@atrium/core/scheduling/person-names'
import { findBranding, listEmailTemplates } from '@atrium/db/branding/branding'
import { hasProvenDomain } from '@atrium/db/mail/domains'
import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import { parseMailbox } from '@atrium/integrations/mailer/addresses'
import type { OutgoingMail as Message } from '@atrium/integrations/mailer/port'
import { defaultLanguage, isPageLanguage } from '@atrium/messages/languages'
import { type MailText, mailTexts } from '@atrium/messages/mail'
import { effectiveBranding } from '../branding/get.ts'
import type { MessageText, TemplateValues } from '../platform/templates.ts'
import { unsubscribeLink } from '../platform/unsubscribe-link.ts'
import type { MailParts, Services } from '../rpc/services.ts'

const platformName = 'Atrium'

/** How a tenant's mails look at this moment, or the platform's own. */
interface Branding {
  productName: string
  accentColor: string
  textColor: string
  tenantName: string
  /** The tenant has proven a domain, or the platform speaks for itself. */
  known: boolean
  overrides: ReadonlyMap<string, MessageText>
}

/** The branding of the tenants of mails that go out within a second, read once each. */
export type Brandings = Map<string | null, Promise<Branding>>

/**
 * The message as it goes out: in the branding of this moment, from the platform's address under the
 * name of the product.
 */
export async function composeMail(
  services: Services,
  mail: ClaimedMail,
  mailFrom: string,
  brandings: Brandings,
): Promise<Message> {
  const branding = await brandingOf(services, mail.tenantId, brandings)
  const sender = parseMailbox(mailFrom)?.address ?? mailFrom
  const parts = await partsOf(services, mail, sender)
  const language = isPageLanguage(mail.values.language) ? mail.values.language : defaultLanguage
  const words = mailTexts(language)
  const values = valuesOf(mail, branding, parts, words)
  // Loaded when there is something to send: the library takes longer to load than most of the
  // service.
  const { renderMessage } = await import('../branding/render.ts')
  const standard = standardText(mail.template, language)
  const own = branding.overrides.get(brandableKey(mail.template) ?? '')
  let text: MessageText
  try {
    text = own
      ? await services.templates.render(mail.tenantId ?? '', { template: own, values })
      : renderMessage(standard, values)
  } catch (err) {
    if (!own) throw err
    // A saved text may name what a later version took away. The message matters more than its
    // wording.
    services.log.warn(
      { err, mailId: mail.id, template: mail.template },
      'failed to render the custom mail text; sending the standard text',
    )
    text = renderMessage(standard, values)
  }
  return {
    from: named(
      parts?.sendsFor === undefined
        ? branding.productName
        : words('via', { person: parts.sendsFor, product: branding.productName }),
      sender,
    ),
    to: named(
      branding.known ? (mail.recipientName ?? '') : withoutLink(mail.recipientName ?? '', ''),
      mail.recipient,
    ),
    ...(parts?.answersTo && {
      replyTo: named(parts.answersTo.name, parts.answersTo.address),
    }),
    subject: text.subject,
    text: text.text,
    ...(text.html === null ? {} : { html: text.html }),
    headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(services, mail) },
    messageId: mail.messageId,
    ...(parts?.calendar && { calendar: parts.calendar }),
  }
}

/** RFC 8058: a mail program may switch the group of this mail off with one POST. */
function unsubscribeHeaders(
  { config }: Services,
  { template, values: { recipientId } }: ClaimedMail,
): Record<string, string> {
  const group = mailGroupOf(template)
  if (group === undefined || typeof recipientId !== 'string') return {}
  const link = unsubscribeLink(config, { userId: recipientId, group })
  if (link === undefined) return {}
  return {
    'List-Unsubscribe': `<${link}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

async function partsOf(
  services: Services,
  mail: ClaimedMail,
  sender: string,
): Promise<MailParts | undefined> {
  for (const kind of services.mailKinds) {
    const parts = await kind.parts(services, mail, sender)
    if (parts) return parts
  }
  return undefined
}

function brandingOf(
  services: Services,
  tenantId: string | null,
  brandings: Brandings,
): Promise<Branding> {
  const known = brandings.get(tenantId)
  if (known) return known
  const branding = readBranding(services, tenantId)
  brandings.set(tenantId, branding)
  // What could not be read is asked for again by the next mail.
  branding.catch(() => brandings.delete(tenantId))
  return branding
}

/**
 * Without a proved domain a tenant's identity is unknown: its mails then use the platform's wording
 * and name, so that no stranger gets a text from the platform's address written in the name of,
 * say, a bank. Names that contain a link are left out.
 */
async function readBranding(
  { database: { db }, config }: Services,
  tenantId: string | null,
): Promise<Branding> {
  const row = tenantId === null ? undefined : await findBranding(db, tenantId)
  if (tenantId === null || !row) {
    const textColor = textColorOn(standardAccentColor)
    return {
      productName: platformName,
      accentColor: standardAccentColor,
      textColor,
      tenantName: platformName,
      known: true,
      overrides: new Map(),
    }
  }
  if (!(await hasProvenDomain(db, tenantId, config.tenantDomain))) {
    const productName = row.partnerProductName ?? platformName
    return {
      ...effectiveBranding({ ...row, productName }),
      tenantName: row.tenantName,
      known: false,
      overrides: new Map(),
    }
  }
  const overrides = await listEmailTemplates(db, tenantId)
  return {
    ...effectiveBranding(row),
    tenantName: row.tenantName,
    known: true,
    overrides: new Map(overrides.map((text) => [text.key, text])),
  }
}

/**
 * Replaces a name that contains a link. Values that are not listed here contain no text by users.
 */
const standIns = {
  'member.name': 'reader',
  'person.name': 'reader',
  'recipient.name': 'reader',
  'inviter.name': 'person',
  'admin.name': 'person',
  'booking.hostName': 'host',
  'previous.hostName': 'formerHost',
  'booking.title': 'meeting',
} as const

const withoutLink = (name: string, standIn: string) => (holdsLink(name) ? standIn : name)

const hasStandIn = (name: string): name is keyof typeof standIns => Object.hasOwn(standIns, name)

function withoutLinks(
  values: Readonly<Record<string, MailValue>>,
  words: MailText,
): Record<string, MailValue> {
  const shown = Object.entries(values).map(([name, value]): [string, MailValue] => [
    name,
    hasStandIn(name) && typeof value === 'string'
      ? withoutLink(value, words(`standIns.${standIns[name]}`))
      : value,
  ])
  return Object.fromEntries(shown)
}

/** Values by their dotted names become what a template reads: `member.name` a field of `member`. */
function valuesOf(
  { values }: ClaimedMail,
  branding: Branding,
  later: Pick<MailParts, 'values'> | undefined,
  words: MailText,
): TemplateValues {
  const nested: Record<string, TemplateValues[string]> = {}
  const provided = { ...later?.values, ...values }
  for (const [name, value] of Object.entries(
    branding.known ? provided : withoutLinks(provided, words),
  )) {
    const [group = '', field] = name.split('.')
    const plain = typeof value === 'number' ? String(value) : value
    if (field === undefined) nested[group] = plain
    else nested[group] = { ...Object(nested[group]), [field]: plain }
  }
  return {
    ...nested,
    product: {
      name: branding.productName,
      accentColor: branding.accentColor,
      textColor: branding.textColor,
    },
    tenant: {
      name: branding.known
        ? branding.tenantName
        : withoutLink(branding.tenantName, words('standIns.workplace')),
    },
  }
}

/** `Name <address>`, without the characters that would end the name. */
function named(name: string, address: string): string {
  const plain = [...name]
    .filter((character) => !'<>"\\'.includes(character) && !hasUnsafeCharacters(character))
    .join('')
    .trim()
  return plain === '' ? address : `${plain} <${address}>`
}
