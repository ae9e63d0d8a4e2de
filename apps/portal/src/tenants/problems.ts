import { problemOf } from '@atrium/ui/problem'

const sentences: Readonly<Partial<Record<string, string>>> = {
  provisioning_in_progress:
    'This workplace is being set up at this very moment. The steps below follow along; there is nothing to do.',
  tenant_suspended: 'This workplace is suspended, so nothing can be changed until it is resumed.',
  tenant_deleted: 'This workplace has been deleted in the meantime.',
  already_deleted: 'This workplace has been deleted already.',
  not_admin:
    'Only admins and the owner of this workplace may do this. Your role may have changed; load the page again.',
  not_owner:
    'Only the owner of this workplace may do this. The ownership may have changed; load the page again.',
  seats_exhausted: 'All seats are taken. Raise them under Billing, or remove somebody first.',
  member_busy: 'This member is being changed by another request. Try again in a moment.',
  not_member: 'You are no longer a member of this workplace.',
}

/**
 * A sentence for a failure that the portal knows more about than the server says; undefined leaves
 * the server's own.
 */
export function explain(error: unknown): string | undefined {
  return sentences[problemOf(error).code]
}

/** True when the workplace is not there for this person: unknown, deleted, or none of theirs. */
export function isMissing(error: unknown): boolean {
  return problemOf(error).code === 'not_found'
}
