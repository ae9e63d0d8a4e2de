import type { UpdateUser, UserView } from '@atrium/core/users'
import type { z } from 'zod'

/** The contact fields as they are typed. */
export interface ContactForm {
  name: string
  firstName: string
  lastName: string
  phone: string
  alternativeEmail: string
}

export function toContactForm(user: UserView): ContactForm {
  return {
    name: user.name,
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    phone: user.phone ?? '',
    alternativeEmail: user.alternativeEmail ?? '',
  }
}

/** What is sent: an emptied field clears what was stored. The name cannot be cleared, so an empty one is sent and refused. */
export function toContactUpdate(id: string, form: ContactForm): z.input<typeof UpdateUser> {
  return {
    id,
    name: form.name,
    firstName: orNull(form.firstName),
    lastName: orNull(form.lastName),
    phone: orNull(form.phone),
    alternativeEmail: orNull(form.alternativeEmail),
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
