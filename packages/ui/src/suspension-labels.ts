import type { SuspensionMode } from '@atrium/core/tenants/tenants'

/** Modes of a suspension as people read them, with what each takes away. */
export const suspensionLabels: Readonly<Record<SuspensionMode, { name: string; effect: string }>> =
  {
    no_sign_in: {
      name: 'No sign-in',
      effect:
        'Members cannot sign in. Mailboxes, files and apps are closed. Owner and admins can still sign in here. Mail keeps arriving.',
    },
    read_only: {
      name: 'Read-only',
      effect:
        'Members sign in and read. They cannot send mail or change files. Mail keeps arriving.',
    },
  }
