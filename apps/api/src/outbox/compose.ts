import { standardAccentColor } from '@atrium/core/branding'
import { textColorOn } from '@atrium/core/contrast'
import { brandableKey, templateDefinition } from '@atrium/core/email-templates'
import { hasUnsafeCharacters } from '@atrium/core/text'
import { findBranding, listEmailTemplates } from '@atrium/db/branding'
import { hasProvenDomain } from '@atrium/db/domains'
import type { ClaimedMail } from '@atrium/db/outbox'
import { parseMailbox } from '@atrium/integrations/mailer/addresses'
import type { OutgoingMail as Message } from '@atrium/integrations/mailer/port'
import { effectiveBranding } from '../branding/get.ts'
import type { MessageText } from '../branding/render.ts'
import type { TemplateValues } from '../branding/samples.ts'
import type { House } from '../house.ts'
import { accessLinkParts } from '../invitations/mails.ts'
import { type BookingMailParts, bookingMailParts } from '../scheduling/booking-mail-parts.ts'

const platformName = 'Atrium'

/** How a tenant's mails look at this moment, or the platform's own. */
interface Look {
  productName: string
  accentColor: string
  textColor: string
  tenantName: string
  overrides: ReadonlyMap<string, MessageText>
}

/** The branding of the tenants of mails that go out within a second, read once each. */
export type Looks = Map<string | null, Promise<Look>>

/** The message as it goes out: in the branding of this moment, from the platform's address under the name of the product. */
export async function composeMail(house: House, mail: ClaimedMail, mailFrom: string, looks: Looks): Promise<Message> {
  const look = await lookOf(house, mail.tenantId, looks)
  const sender = parseMailbox(mailFrom)?.address ?? mailFrom
  const booking = await bookingMailParts(house, mail, sender)
  const values = valuesOf(mail, look, booking ?? (await accessLinkParts(house, mail)))
  // Loaded when there is something to send: the library takes longer to load than most of the service.
  const { renderMessage } = await import('../branding/render.ts')
  const standard = templateDefinition(mail.template).standard
  const own = look.overrides.get(brandableKey(mail.template) ?? '')
  let text: MessageText
  try {
    text = renderMessage(own ?? standard, values)
  } catch (err) {
    if (!own) throw err
    // A saved text may name what a later version took away. The message matters more than its wording.
    house.log.warn({ err, mailId: mail.id, template: mail.template }, 'the own text of a mail cannot be rendered; the standard goes out')
    text = renderMessage(standard, values)
  }
  return {
    from: named(booking?.sendsFor === undefined ? look.productName : `${booking.sendsFor} via ${look.productName}`, sender),
    to: named(mail.recipientName ?? '', mail.recipient),
    ...(booking && { replyTo: named(booking.answersTo.name, booking.answersTo.address) }),
    subject: text.subject,
    text: text.text,
    ...(text.html === null ? {} : { html: text.html }),
    headers: { 'Auto-Submitted': 'auto-generated' },
    messageId: mail.messageId,
    ...(booking?.calendar && { calendar: booking.calendar }),
  }
}

function lookOf(house: House, tenantId: string | null, looks: Looks): Promise<Look> {
  const known = looks.get(tenantId)
  if (known) return known
  const look = readLook(house, tenantId)
  looks.set(tenantId, look)
  // What could not be read is asked for again by the next mail.
  look.catch(() => looks.delete(tenantId))
  return look
}

/**
 * Without a proven domain nobody knows who a tenant is: its mails then have the platform's wording and name, so that no stranger gets a text
 * from the platform's address that somebody wrote under the name of a bank.
 */
async function readLook({ database: { db }, config }: House, tenantId: string | null): Promise<Look> {
  const row = tenantId === null ? undefined : await findBranding(db, tenantId)
  if (tenantId === null || !row) {
    const textColor = textColorOn(standardAccentColor)
    return { productName: platformName, accentColor: standardAccentColor, textColor, tenantName: platformName, overrides: new Map() }
  }
  if (!(await hasProvenDomain(db, tenantId, config.tenantDomain))) {
    const productName = row.partnerProductName ?? platformName
    return { ...effectiveBranding({ ...row, productName }), tenantName: row.tenantName, overrides: new Map() }
  }
  const overrides = await listEmailTemplates(db, tenantId)
  return { ...effectiveBranding(row), tenantName: row.tenantName, overrides: new Map(overrides.map((text) => [text.key, text])) }
}

/** Values by their dotted names become what a template reads: `member.name` a field of `member`. */
function valuesOf({ values }: ClaimedMail, look: Look, later: Pick<BookingMailParts, 'values'> | undefined): TemplateValues {
  const nested: Record<string, TemplateValues[string]> = {}
  for (const [name, value] of Object.entries({ ...later?.values, ...values })) {
    const [group = '', field] = name.split('.')
    const plain = typeof value === 'number' ? String(value) : value
    if (field === undefined) nested[group] = plain
    else nested[group] = { ...Object(nested[group]), [field]: plain }
  }
  return {
    ...nested,
    product: { name: look.productName, accentColor: look.accentColor, textColor: look.textColor },
    tenant: { name: look.tenantName },
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
