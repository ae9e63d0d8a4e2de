import '@atrium/ui/issue-messages'
import { CreateMember, memberAddress } from '@atrium/core/members/members'
import { withoutBlanks } from '@atrium/ui/zod-form'

/** The form as it is typed; blank fields count as absent. */
export interface CreateFormValues {
  email: string
  name: string
  firstName: string
  lastName: string
  role: 'member' | 'admin'
  phone: string
  alternativeEmail: string
}

export const emptyForm: CreateFormValues = {
  email: '',
  name: '',
  firstName: '',
  lastName: '',
  role: 'member',
  phone: '',
  alternativeEmail: '',
}

/** What the form is checked against: the API's own rules. */
export const CreateForm = CreateMember.omit({ slug: true, seatRaise: true })

/** The call of a valid form. */
export function toCreateMember(slug: string, values: CreateFormValues): CreateMember {
  return { slug, ...CreateForm.parse(withoutBlanks(values)) }
}

export interface AddressOutlook {
  address: string
  /**
   * True on a domain of the workplace: a mailbox is made. An outside address makes a member without
   * one.
   */
  mailbox: boolean
}

/** What an address, as far as it is typed, would become; undefined while it is no address. */
export function outlookOf(
  text: string,
  domains: readonly string[],
  primaryDomain: string | null,
): AddressOutlook | undefined {
  const parsed = memberAddress.safeParse(text)
  if (!parsed.success) return undefined
  const typed = parsed.data
  if (!typed.includes('@'))
    return primaryDomain === null
      ? undefined
      : { address: `${typed}@${primaryDomain}`, mailbox: true }
  return { address: typed, mailbox: domains.includes(typed.slice(typed.lastIndexOf('@') + 1)) }
}
