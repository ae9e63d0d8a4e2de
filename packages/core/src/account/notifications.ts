import { z } from 'zod'
import type { MailTemplateKey } from '../branding/template-keys.ts'

/**
 * Mails that people may switch off, by group. All others are always sent: what protects an account,
 * what a person has to decide, invitations, and what the law or a contract asks for.
 */
export const switchableMails = {
  bookings: [
    'booking.host_booked',
    'booking.host_moved',
    'booking.host_reassigned',
    'booking.host_cancelled',
  ],
  reminders: ['member.second_factor_reminder'],
  approvals: ['partner.approval_decided'],
  rollbacks: ['flag.rolled_back'],
} as const satisfies Record<string, readonly MailTemplateKey[]>

export type MailGroup = keyof typeof switchableMails
export const mailGroups = Object.keys(switchableMails) as [MailGroup, ...MailGroup[]]

/** The group of a mail that may be switched off; undefined for all others. */
export function mailGroupOf(template: MailTemplateKey): MailGroup | undefined {
  return mailGroups.find((group) =>
    (switchableMails[group] as readonly MailTemplateKey[]).includes(template),
  )
}

const mailGroup = z.enum(mailGroups)

export const NotificationSettings = z.object({
  /** The groups that the person can get mails of. */
  groups: z.array(z.object({ group: mailGroup, on: z.boolean() })),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

/** What a link in a mail switched off. */
export const Unsubscribed = z.object({ group: mailGroup })
export type Unsubscribed = z.infer<typeof Unsubscribed>

export const UpdateNotification = z.strictObject({ group: mailGroup, on: z.boolean() })
export type UpdateNotification = z.infer<typeof UpdateNotification>
