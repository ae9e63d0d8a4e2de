import type { UpdateUser, UserView } from '@atrium/core/users/users'
import type { z } from 'zod'

/** The contact fields as they are typed. */
export interface ContactForm {
  name: string
  firstName: string
  lastName: string
  phone: string
  alternativeEmail: string
  language: string
}

export function toContactForm(user: UserView): ContactForm {
  return {
    name: user.name,
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    phone: user.phone ?? '',
    alternativeEmail: user.alternativeEmail ?? '',
    language: user.language ?? '',
  }
}

/**
 * The request: only the changed fields, so that changes others made to the rest are kept. An
 * emptied field clears the stored value. The name cannot be cleared: an empty one is sent and
 * rejected.
 */
export function toContactUpdate(user: UserView, form: ContactForm): z.input<typeof UpdateUser> {
  const before = toContactForm(user)
  const { name, ...rest } = form
  const changed = Object.entries(rest).filter(
    ([field, text]) => text !== before[field as keyof ContactForm],
  )
  return {
    id: user.id,
    ...(name === before.name ? {} : { name }),
    ...Object.fromEntries(changed.map(([field, text]) => [field, orNull(text)])),
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
