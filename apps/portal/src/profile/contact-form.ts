import { UpdateUser, type UserView } from '@atrium/core/users/users'
import { z } from 'zod'

/** The fields of their own record that people may change; text as it is typed. */
const fields = ['firstName', 'lastName', 'phone', 'alternativeEmail', 'language'] as const
export type ContactValues = Record<'name' | (typeof fields)[number], string>

const { name, firstName, lastName, phone, alternativeEmail, language } = UpdateUser.shape

/**
 * What the form is checked against: the API's own rules; everything but the name may be left out.
 */
export const ContactForm = z.object({
  name: name.unwrap(),
  firstName,
  lastName,
  phone,
  alternativeEmail,
  language,
})

export function fromUser(user: UserView): ContactValues {
  return {
    name: user.name,
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    phone: user.phone ?? '',
    alternativeEmail: user.alternativeEmail ?? '',
    language: user.language ?? '',
  }
}

/** The changes alone; undefined when nothing was changed. A field that was emptied is cleared. */
export function changesOf(user: UserView, values: ContactValues): UpdateUser | undefined {
  const before = fromUser(user)
  const changed = fields.filter((field) => values[field].trim() !== before[field])
  const changes = {
    ...(values.name.trim() === before.name ? {} : { name: values.name }),
    ...Object.fromEntries(changed.map((field) => [field, values[field].trim() || null])),
  }
  return Object.keys(changes).length > 0 ? { id: user.id, ...changes } : undefined
}
