import { changeRecipients, type ListView, type UpdateList } from '@atrium/core/mail/lists'
import { AppError } from '@atrium/core/platform/errors'
import { changeMailList, type ListRow, lockMailList } from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import { requireVersion } from '../../rpc/edit-version.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { mailServerOf } from '../aliases/mail-server.ts'
import {
  auditedList,
  noSuchList,
  readList,
  requireList,
  toListView,
  upstreamOutcome,
} from './get.ts'
import { rejectLoop } from './loops.ts'
import { pushList, recoverAfterSeconds } from './push.ts'

/** What a list has after a change; without a name it keeps its own. */
export interface ListChange {
  name?: string | undefined
  recipients: readonly string[]
}

/**
 * Changes name or recipients. Throws AppError as `changeList`, `edit_conflict`, and `invalid_input`
 * for adding an existing or removing a missing recipient.
 */
export function updateList(ctx: Context, access: Access, input: UpdateList): Promise<ListView> {
  return changeList(ctx, access, input.listId, (_, list) => {
    requireVersion(input.expectedVersion, toListView(list))
    const changed = changeRecipients(list.recipients, input)
    if ('issues' in changed)
      throw new AppError('invalid_input', undefined, { issues: changed.issues })
    return { name: input.name, recipients: changed.recipients }
  })
}

/**
 * Changes a list to what `decide` returns under the locks of tenant and list, and syncs the mail
 * server. When that fails, the change is kept with state `error` and retried. Throws AppError
 * `not_found` also for a list that is being removed, `list_loop`, `integration_off`.
 */
export async function changeList(
  ctx: Context,
  access: Access,
  listId: string,
  decide: (trx: Trx, list: ListRow) => ListChange | Promise<ListChange>,
): Promise<ListView> {
  const { services } = ctx
  mailServerOf(services)
  const { tenant, prepared } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const list = await lockMailList(trx, open.id, listId)
    if (!list || list.state === 'removing') throw noSuchList()
    const { name, recipients } = await decide(trx, list)
    const [added, removed] = [
      missingIn(list.recipients, recipients),
      missingIn(recipients, list.recipients),
    ]
    if (added.length > 0) await rejectLoop(trx, open.id, list.address, recipients)
    const moved = added.length > 0 || removed.length > 0
    const renamed = name !== undefined && name !== list.name
    if (moved || renamed)
      await changeMailList(
        trx,
        listId,
        { name, ...(moved ? { recipients } : {}) },
        recoverAfterSeconds,
      )
    if (!moved && !renamed) return { tenant: open, prepared: undefined }
    const entry: AuditEntry = {
      action: 'list.updated',
      ...auditedList(open, list),
      metadata: {
        changes: {
          ...(renamed ? { name: [list.name, name] } : {}),
          ...(moved ? { recipients: [removed, added] } : {}),
        },
      },
    }
    const prepared = await services.audit.prepare(ctx, access.caller, entry, trx)
    return { tenant: open, prepared }
  })
  if (!prepared) return readList(services, tenant.id, listId)
  await pushList(services, listId)
  const list = await requireList(services, tenant.id, listId)
  await services.audit.complete(prepared, upstreamOutcome(list))
  return toListView(list)
}

/** What `now` has and `before` had not. */
function missingIn(before: readonly string[], now: readonly string[]): string[] {
  const had = new Set(before)
  return now.filter((address) => !had.has(address))
}
