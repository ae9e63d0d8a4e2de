import { type MemberView, UpdateMember } from '@atrium/core/members/members'
import { z } from 'zod'

const fields = ['firstName', 'lastName', 'phone', 'alternativeEmail'] as const

/** What an admin edits of a person, as it is typed. */
export type MemberFormValues = Record<'name' | (typeof fields)[number], string>

const { name, firstName, lastName, phone, alternativeEmail } = UpdateMember.shape

/**
 * What the form is checked against: the API's own rules; everything but the name may be left out.
 */
export const MemberForm = z.object({
  name: name.unwrap(),
  firstName,
  lastName,
  phone,
  alternativeEmail,
})

export function fromMember(member: MemberView): MemberFormValues {
  return {
    name: member.name,
    firstName: member.firstName ?? '',
    lastName: member.lastName ?? '',
    phone: member.phone ?? '',
    alternativeEmail: member.alternativeEmail ?? '',
  }
}

/** The changes alone; undefined when nothing was changed. A field that was emptied is cleared. */
export function changesOf(
  slug: string,
  member: MemberView,
  values: MemberFormValues,
): UpdateMember | undefined {
  const before = fromMember(member)
  const changed = fields.filter((field) => values[field].trim() !== before[field])
  const changes = {
    ...(values.name.trim() === before.name ? {} : { name: values.name }),
    ...Object.fromEntries(changed.map((field) => [field, values[field].trim() || null])),
  }
  return Object.keys(changes).length > 0 ? { slug, userId: member.id, ...changes } : undefined
}
