import type { CreateList, ListView } from '@atrium/core/mail/lists'
import { countMailLists, insertMailList } from '@atrium/db/mail/lists'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { addressTaken, freeAddress } from '../aliases/addresses.ts'
import { mailServerOf } from '../aliases/mail-server.ts'
import { auditedList, requireList, toListView, upstreamOutcome } from './get.ts'
import { rejectLoop } from './loops.ts'
import { pushList, recoverAfterSeconds } from './push.ts'

/** What else happens in the transaction that makes the record. */
interface AlsoWritten {
  /** May reject the list under the tenant's lock. */
  check?: (trx: Trx) => Promise<void>
  inserted?: (trx: Trx, listId: string) => Promise<void>
}

/**
 * Creates a list here and in the mail server. When the mail server fails, the list has state
 * `error` and is retried. Throws AppError `invalid_input` for a domain that is not the tenant's,
 * `domain_not_verified`, `email_taken` when the address is in use, `list_loop`, `integration_off`.
 */
export async function createList(
  ctx: Context,
  access: Access,
  input: CreateList,
  { check, inserted: alsoInsert }: AlsoWritten = {},
): Promise<ListView> {
  const { services } = ctx
  mailServerOf(services)
  const recipients = [...input.recipients].sort()
  const { tenant, id, entry, prepared } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      await check?.(trx)
      await services.limits.requireCapacity(
        trx,
        'lists',
        open.id,
        await countMailLists(trx, open.id),
      )
      const free = await freeAddress(trx, open.id, { address: input.address, exceptUserId: null })
      await rejectLoop(trx, open.id, free.address, recipients)
      const list = { tenantId: open.id, address: free.address, name: input.name, recipients }
      const inserted = await insertMailList(trx, list, recoverAfterSeconds).catch(
        (error: unknown) => {
          throw violatedConstraint(error) === 'mail_lists_of_address'
            ? addressTaken(free.address, error)
            : error
        },
      )
      await alsoInsert?.(trx, inserted)
      const entry: AuditEntry = {
        action: 'list.created',
        ...auditedList(open, { id: inserted, address: free.address }),
        metadata: { name: input.name, recipients },
      }
      const prepared = await services.audit.prepare(ctx, access.caller, entry, trx)
      return { tenant: open, id: inserted, entry, prepared }
    },
  )
  if ((await pushList(services, id, { fresh: true })) === 'taken') {
    await services.audit.complete(prepared, { outcome: 'failure' })
    await services.audit.record(ctx, access.caller, {
      ...entry,
      action: 'list.removed',
      metadata: {},
    })
    throw addressTaken(input.address)
  }
  const list = await requireList(services, tenant.id, id)
  await services.audit.complete(prepared, upstreamOutcome(list))
  return toListView(list)
}
