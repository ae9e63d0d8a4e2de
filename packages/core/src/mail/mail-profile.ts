import { z } from 'zod'

export const GetMailProfile = z.strictObject({ slug: z.string().max(200) })
export type GetMailProfile = z.infer<typeof GetMailProfile>

/** Whose mail, calendars and contacts a device is set up with. */
export const MailProfileView = z.object({
  /** The mailbox, which is the user name at every server as well. */
  address: z.string(),
  name: z.string(),
  /** Product name of the tenant, as branded. */
  organisation: z.string(),
})
export type MailProfileView = z.infer<typeof MailProfileView>

export interface MailProfileOptions extends MailProfileView {
  /** Where devices reach the mail server. */
  mailHost: string
  /** A UUID that is always the same for the same text (RFC 9562 section 5.5). */
  uuid: (text: string) => string
}

type Value = string | number | boolean | readonly Dictionary[]
interface Dictionary {
  readonly [key: string]: Value
}

/**
 * Apple's configuration profile for a mailbox: IMAP on 993, submission on 465 (both TLS from the
 * first byte), CalDAV and CardDAV over HTTPS, found by their well-known addresses. It holds no
 * password; the device asks for it. Identifiers depend on the address alone, so that a second
 * installation replaces the first.
 */
export function mailProfile({
  address,
  name,
  organisation,
  mailHost,
  uuid,
}: MailProfileOptions): string {
  const root = `${address
    .slice(address.lastIndexOf('@') + 1)
    .split('.')
    .reverse()
    .join('.')}.${uuid(address)}`
  const payload = (part: string, type: string, fields: Dictionary): Dictionary => ({
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: `${root}.${part}`,
    PayloadUUID: uuid(`${address} ${part}`),
    ...fields,
  })
  const dav = (kind: 'CalDAV' | 'CardDAV', description: string): Dictionary => ({
    PayloadDisplayName: description,
    [`${kind}AccountDescription`]: description,
    [`${kind}HostName`]: mailHost,
    [`${kind}Port`]: 443,
    [`${kind}UseSSL`]: true,
    [`${kind}Username`]: address,
  })
  const server = (direction: 'Incoming' | 'Outgoing', port: number): Dictionary => ({
    [`${direction}MailServerAuthentication`]: 'EmailAuthPassword',
    [`${direction}MailServerHostName`]: mailHost,
    [`${direction}MailServerPortNumber`]: port,
    [`${direction}MailServerUseSSL`]: true,
    [`${direction}MailServerUsername`]: address,
  })
  return plist({
    PayloadType: 'Configuration',
    PayloadVersion: 1,
    PayloadIdentifier: root,
    PayloadUUID: uuid(`${address} profile`),
    PayloadDisplayName: `${organisation}: ${address}`,
    PayloadDescription: `Mail, calendars and contacts of ${address}. The password is asked for during installation.`,
    PayloadOrganization: organisation,
    PayloadRemovalDisallowed: false,
    PayloadContent: [
      payload('mail', 'com.apple.mail.managed', {
        PayloadDisplayName: `${organisation} mail`,
        EmailAccountDescription: `${organisation} mail`,
        EmailAccountName: name,
        EmailAccountType: 'EmailTypeIMAP',
        EmailAddress: address,
        ...server('Incoming', 993),
        ...server('Outgoing', 465),
        OutgoingPasswordSameAsIncomingPassword: true,
      }),
      payload('calendars', 'com.apple.caldav.account', dav('CalDAV', `${organisation} calendars`)),
      payload('contacts', 'com.apple.carddav.account', dav('CardDAV', `${organisation} contacts`)),
    ],
  })
}

/** An XML property list (Apple's PropertyList-1.0 DTD). */
function plist(root: Dictionary): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element(root, '')}
</plist>
`
}

function element(value: Value | Dictionary, indent: string): string {
  if (typeof value === 'boolean') return `${indent}<${value}/>`
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`
  if (typeof value === 'string') return `${indent}<string>${escapeXml(value)}</string>`
  const deeper = `${indent}  `
  if (Array.isArray(value))
    return `${indent}<array>\n${value.map((one) => element(one, deeper)).join('\n')}\n${indent}</array>`
  const fields = Object.entries(value).map(
    ([key, field]) => `${deeper}<key>${escapeXml(key)}</key>\n${element(field, deeper)}`,
  )
  return `${indent}<dict>\n${fields.join('\n')}\n${indent}</dict>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Text of an element. Characters that XML 1.0 cannot hold in any form (section 2.2) are left out.
 */
function escapeXml(text: string): string {
  const holdable = text
    .replace(/\p{Surrogate}/gu, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is left out
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
  return holdable.replace(/[&<>]/g, (character) => entities[character] ?? character)
}
