import type { TouchedList } from '@atrium/db/mail/lists'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { listsInAudit } from '../lists/members.ts'

export interface AliasChange {
  action: 'alias.added' | 'alias.removed'
  address: string
  /** Null for a mailbox that is no member's. */
  userId: string | null
  mailbox: string | null
  /** What the mail server did not do; absent when it did its part. */
  error?: string
  /** Distribution lists that lost the address. */
  lists?: readonly TouchedList[]
}

export function recordAlias(
  { services, request }: Context,
  { caller }: Access,
  tenant: { slug: string; partnerSlug: string | null },
  { action, address, userId, mailbox, error, lists = [] }: AliasChange,
): Promise<void> {
  return services.audit.record({ request }, caller, {
    action,
    outcome: error === undefined ? 'success' : 'failure',
    resourceType: 'alias',
    resourceId: userId,
    resourceName: address,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { mailbox, ...(error === undefined ? {} : { error }), ...listsInAudit(lists) },
  })
}
