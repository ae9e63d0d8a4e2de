import type { MemberView } from '@atrium/core/members/members'
import type { MemberRow } from '@atrium/db/members/members'
import type { Caller, CallerTenant } from '../rpc/caller.ts'
import { readFailure } from '../rpc/reader-language.ts'

/**
 * The row as this caller sees it: contact data go to the person, to operators, and to admins of the
 * tenant that manages the person.
 */
export function toMemberView(
  row: MemberRow,
  {
    caller,
    tenant,
  }: { caller: Pick<Caller, 'id' | 'operator'>; tenant: Pick<CallerTenant, 'role'> },
): MemberView {
  const self = caller.id === row.id
  const managed = row.managed || caller.operator || self
  const contact = self || caller.operator || (row.managed && tenant.role !== 'member')
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    firstName: row.firstName,
    lastName: row.lastName,
    phone: contact ? row.phone : null,
    alternativeEmail: contact ? row.alternativeEmail : null,
    role: row.role,
    status: row.deactivatedAt ? 'deactivated' : row.membershipStatus,
    mailboxAddress: row.mailboxAddress,
    outcomes: { identity: row.identityState, mail: row.mailState, files: row.filesState },
    errors: {
      ...(row.identityError === null ? {} : { identity: readFailure(row.identityError) }),
      ...(row.mailError === null ? {} : { mail: readFailure(row.mailError) }),
      ...(row.filesError === null ? {} : { files: readFailure(row.filesError) }),
    },
    bootstrapAdmin: row.bootstrapAdmin,
    managed,
    needsPassword: row.needsPassword,
    temporaryPassword: contact ? temporaryPasswordOf(row) : null,
    joinedAt: row.joinedAt.toISOString(),
  }
}

/** Whoever signed in since has replaced it, or does not need it. */
function temporaryPasswordOf(row: MemberRow): MemberView['temporaryPassword'] {
  const { passwordIssuedAt, passwordExpiresAt, passwordEndedAt, lastSeenAt } = row
  if (!passwordIssuedAt || !passwordExpiresAt) return null
  if (lastSeenAt && lastSeenAt > (passwordEndedAt ?? passwordIssuedAt)) return null
  return { expiresAt: passwordExpiresAt.toISOString(), expired: passwordEndedAt !== null }
}
