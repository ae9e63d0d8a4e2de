import { writeVerdict } from '@atrium/core/mail/domain-records'
import type { DomainCheckView, ListDomainChecks } from '@atrium/core/mail/domains'
import { cutPage } from '@atrium/core/platform/paging'
import { listDomainChecks as readChecks } from '@atrium/db/mail/domains'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readerLanguage } from '../../rpc/reader-language.ts'
import { readDomain } from './find.ts'

/**
 * Earlier checks, newest first: those that people asked for, and those by the platform itself that
 * found something else than before.
 */
export async function listDomainChecks(
  { services }: Context,
  access: Access,
  input: ListDomainChecks,
): Promise<{ items: DomainCheckView[]; nextCursor: string | null }> {
  const { db } = services.database
  const { id } = await readDomain(db, access.tenant.id, input.domain)
  const { items, nextCursor } = cutPage(
    await readChecks(db, id, { before: input.cursor, limit: input.limit }),
    input.limit,
  )
  return {
    items: items.map(({ at, verdicts, ...check }) => ({
      ...check,
      at: at.toISOString(),
      records: verdicts.map((record) => writeVerdict(record, readerLanguage())),
    })),
    nextCursor,
  }
}
