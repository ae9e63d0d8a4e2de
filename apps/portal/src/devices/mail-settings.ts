import type { MailSettings } from './mail-profile.ts'

/** One line that a mail program asks for. */
export interface Setting {
  label: string
  value: string
}

export interface SettingsGroup {
  title: string
  /** What the program may call it. */
  hint: string
  settings: Setting[]
}

/**
 * What to type into a mail program that takes no profile: incoming, outgoing, calendars and
 * contacts.
 */
export function settingsOf({ host }: MailSettings, address: string): SettingsGroup[] {
  const user = { label: 'User name', value: address }
  const server = { label: 'Server', value: host }
  const tls = { label: 'Security', value: 'SSL/TLS' }
  return [
    {
      title: 'Incoming mail',
      hint: 'IMAP',
      settings: [server, { label: 'Port', value: '993' }, tls, user],
    },
    {
      title: 'Outgoing mail',
      hint: 'SMTP',
      settings: [server, { label: 'Port', value: '465' }, tls, user],
    },
    {
      title: 'Calendars and contacts',
      hint: 'CalDAV and CardDAV',
      settings: [
        { label: 'Calendars', value: `https://${host}/.well-known/caldav` },
        { label: 'Contacts', value: `https://${host}/.well-known/carddav` },
        user,
      ],
    },
  ]
}
