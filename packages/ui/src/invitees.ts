import type { Invitee } from '@atrium/core/invitations/invitations'
import { emailAddress } from '@atrium/core/platform/text'
import { translations } from './messages.ts'

const t = translations('ui.invitations')

type Read = { invitees: Invitee[] } | { fault: string }

/**
 * A name before an address in angle brackets, as mail programs write it, with or without quotes;
 * undefined for anything else.
 */
function named(part: string): { name: string; address: string } | undefined {
  const [name = '', address, ...more] = part.split('<')
  if (address === undefined || more.length > 0 || !address.endsWith('>')) return undefined
  return { name: name.replaceAll('"', '').trim(), address: address.slice(0, -1) }
}

/**
 * The people in a pasted text, each address once, or what is wrong with it. Addresses are separated
 * by spaces, commas, semicolons or lines; a name may stand before an address in angle brackets.
 */
export function inviteesIn(text: string, most: number): Read {
  const invitees = new Map<string, Invitee>()
  for (const part of text.split(/[,;\n]+/).flatMap(addressesOf)) {
    const { name, address } = named(part) ?? { name: '', address: part }
    const email = emailAddress.safeParse(address)
    if (!email.success) return { fault: t('dialog.badAddress', { text: part }) }
    invitees.set(email.data, { email: email.data, ...(name === '' ? {} : { name }) })
  }
  if (invitees.size === 0) return { fault: t('dialog.noAddress') }
  return invitees.size > most
    ? { fault: t('dialog.tooMany', { most }) }
    : { invitees: [...invitees.values()] }
}

/** A name with its address, or addresses between spaces. */
function addressesOf(part: string): string[] {
  const trimmed = part.trim()
  return named(trimmed) ? [trimmed] : trimmed.split(/\s+/).filter((one) => one !== '')
}

/** A person as a line of the text. */
export function lineOf({ email, name }: { email: string; name?: string | undefined }): string {
  const plain = name?.replace(/[",;<>\s]+/g, ' ').trim()
  return plain ? `${plain} <${email}>` : email
}
