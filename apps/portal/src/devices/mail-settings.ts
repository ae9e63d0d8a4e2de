import { translations } from '@atrium/ui/messages'
import type { MailSettings } from './mail-profile.ts'

const t = translations('portal.devices')

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
  const user = { label: t('settings.user'), value: address }
  const server = { label: t('settings.server'), value: host }
  const tls = { label: t('settings.security'), value: 'SSL/TLS' }
  return [
    {
      title: t('settings.incoming'),
      hint: 'IMAP',
      settings: [server, { label: t('settings.port'), value: '993' }, tls, user],
    },
    {
      title: t('settings.outgoing'),
      hint: 'SMTP',
      settings: [server, { label: t('settings.port'), value: '465' }, tls, user],
    },
    {
      title: t('settings.calendarsAndContacts'),
      hint: t('settings.davHint'),
      settings: [
        { label: t('settings.calendars'), value: `https://${host}/.well-known/caldav` },
        { label: t('settings.contacts'), value: `https://${host}/.well-known/carddav` },
        user,
      ],
    },
  ]
}
