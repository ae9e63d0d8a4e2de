import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import type { Tables } from '../schema/tables.ts'

/**
 * What an update of `memberships` sets so that these steps are done again, at once. `version` is
 * the column: raising it tells a run that is under way.
 */
export const reopened = (version: Expression<number>, steps: readonly ProvisioningStep[]) => ({
  ...(steps.includes('identity') && { identity_state: 'pending' as const, identity_error: null }),
  ...(steps.includes('mail') && { mail_state: 'pending' as const, mail_error: null }),
  ...(steps.includes('files') && { files_state: 'pending' as const, files_error: null }),
  next_at: null,
  attempt: 0,
  version: sql<number>`${version} + 1`,
  updated_at: sql<Date>`now()`,
})

/** Mailbox and file account have to follow; creates none for members without one. */
export const reopenedAccounts = (eb: ExpressionBuilder<Tables, 'memberships'>) => ({
  ...reopenedFiles(eb),
  mail_state: eb
    .case()
    .when('mailbox_address', 'is', null)
    .then(eb.ref('mail_state'))
    .else('pending' as const)
    .end(),
  mail_error: eb.case().when('mailbox_address', 'is', null).then(eb.ref('mail_error')).end(),
})

/** The file account has to follow; creates none for members without one. */
export const reopenedFiles = (eb: ExpressionBuilder<Tables, 'memberships'>) => ({
  ...reopened(eb.ref('version'), []),
  files_state: eb
    .case()
    .when('files_state', '=', 'skipped')
    .then(eb.ref('files_state'))
    .else('pending' as const)
    .end(),
  files_error: null,
})
