import type { DomainPath } from '@atrium/core/mail/domains'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import { type DomainRow, deleteDomain, listDomains, mailboxesOn } from '@atrium/db/mail/domains'
import { mailListsOn } from '@atrium/db/mail/lists'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { notifyTenant } from '@atrium/db/tenants/tenants'
import type { DomainUse, MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectClosed, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import type { Services } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { auditedDomain, readDomain } from './find.ts'
import { failureSentence } from './mail-side.ts'
import { hasMail } from './view.ts'

const mailMs = 10_000

/**
 * Removes a domain that nothing uses: first in the mail server, which decides about its accounts,
 * aliases and lists, then here. When the mail server cannot tell, nothing is removed (502). 409
 * `domain_in_use` with an issue per kind of use, `primary_domain` for the primary one. Repeating it
 * after a failure finishes it.
 */
export async function removeDomain(ctx: Context, access: Access, input: DomainPath): Promise<void> {
  const { services } = ctx
  rejectClosed(access.tenant.status)
  const row = await readDomain(services.database.db, access.tenant.id, input.domain)
  const entry: AuditEntry = { action: 'domain.removed', ...auditedDomain(row) }
  await removeFromTenant(services, row, {
    stillMay: (trx) => rejectFormerDelegate(trx, access),
    record: (trx) => services.audit.record(ctx, access.caller, entry, trx),
  })
}

/** What a caller adds to the transaction of a removal. */
interface RemovalBy {
  /** Rejects by throwing. */
  stillMay: (trx: Trx) => Promise<void>
  record: (trx: Trx) => Promise<void>
}

/**
 * Performs the removal. Throws AppError as `removeDomain`, and `not_found` when another caller has
 * removed the domain meanwhile.
 */
export async function removeFromTenant(
  services: Services,
  row: DomainRow,
  by?: RemovalBy,
): Promise<void> {
  const { db } = services.database
  await rejectRemoval(db, row.tenantId, row)
  const there = inMailServer(services, row)
  if (there) await removeFromMailServer(there, row.name)
  await tenantTransaction(services, row.tenantId, async (trx) => {
    const tenant = await lockOpenTenant(trx, row.tenantSlug)
    await by?.stillMay(trx)
    // What came about while the mail server was asked; the next check makes the domain there again.
    await rejectRemoval(trx, tenant.id, await readDomain(trx, tenant.id, row.name))
    await deleteDomain(trx, row.id)
    await notifyTenant(trx, tenant.id)
    await by?.record(trx)
  })
}

/**
 * Checks, before anything changes, whether the mail server would delete the domain: only it knows
 * the aliases. Throws AppError `domain_in_use`, and `upstream_failed` when it cannot be checked.
 */
export async function rejectUsedInMailServer(services: Services, row: DomainRow): Promise<void> {
  const there = inMailServer(services, row)
  if (there) await orRejected(row.name, () => rejectUsed(there, AbortSignal.timeout(mailMs)))
}

/** A domain as the mail server has it. */
interface InMailServer {
  mail: MailServer
  domainId: string
}

/** Undefined where mail is off or the domain never came there. */
function inMailServer(services: Services, row: DomainRow): InMailServer | undefined {
  const { mail } = services.systems
  const domainId = row.mailDomainId ?? row.mailPendingId
  return hasMail(services) && mail && domainId !== null ? { mail, domainId } : undefined
}

async function rejectRemoval(db: Db | Trx, tenantId: string, row: DomainRow): Promise<void> {
  if (row.primary) {
    const alone = (await listDomains(db, tenantId)).length === 1
    throw new AppError('primary_domain', alone ? errorText('lastDomain') : undefined)
  }
  const { count, examples } = await mailboxesOn(db, tenantId, row.name, 5)
  const lists = await mailListsOn(db, tenantId, row.name, 5)
  if (count + lists.count > 0)
    throw inUse({
      accounts: count,
      aliases: 0,
      lists: lists.count,
      examples: [...examples, ...lists.examples],
    })
}

async function removeFromMailServer(there: InMailServer, name: string): Promise<void> {
  const signal = AbortSignal.timeout(mailMs)
  await orRejected(name, async () => {
    await rejectUsed(there, signal)
    await there.mail.removeDomain(there.domainId, { signal })
  })
}

async function orRejected(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof AppError) throw error
    // What is gone there already is what was wanted.
    if (error instanceof UpstreamError && error.kind === 'not_found') return
    if (error instanceof UpstreamError && error.kind === 'conflict') {
      throw new AppError('domain_in_use', errorText('domainUsedInMailServer', { name }), {
        cause: error,
      })
    }
    throw new AppError('upstream_failed', failureSentence(error), { cause: error })
  }
}

async function rejectUsed({ mail, domainId }: InMailServer, signal: AbortSignal): Promise<void> {
  const use = await mail.domainUse(domainId, { signal })
  if (use.accounts + use.aliases + use.lists > 0) throw inUse(use)
}

function inUse(use: DomainUse): AppError {
  const issues: IssueText[] = (['accounts', 'aliases', 'lists'] as const)
    .filter((path) => use[path] > 0)
    .map((path) => ({ path, message: errorText(`${path}Count`, { count: use[path] }) }))
  const examples = use.examples.slice(0, 5).join(', ')
  const used = issues.map(({ message }) => message)
  return new AppError('domain_in_use', errorText('domainUsedBy', { used, examples }), { issues })
}
