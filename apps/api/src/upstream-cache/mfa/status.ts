import { cutPage } from '@atrium/core/platform/paging'
import type { MemberMfa, MfaStatus, ReadMfaStatus } from '@atrium/core/upstream-cache/mfa'
import { countMfa, listMfa, type MfaRow } from '@atrium/db/upstream-cache/mfa'
import { failureTexts } from '@atrium/messages/failure-texts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readerLanguage, readFailure } from '../../rpc/reader-language.ts'
import { ensureFresh } from '../refresh.ts'
import { factorsFetcher } from './reader.ts'

/**
 * Which members of the tenant have a second factor. The identity provider takes a call per member
 * (reference of its API, authenticators), so results are cached for 15 minutes; what could not be
 * read is unknown, never none. A plain member gets their own row and the totals: a list of people
 * without a second factor would tell an attacker whom to target.
 */
export async function readMfaStatus(
  { services }: Context,
  access: Access,
  input: ReadMfaStatus,
): Promise<MfaStatus> {
  const { db } = services.database
  const { caller, tenant } = access
  const only = tenant.role === 'member' && !caller.operator ? caller.id : undefined
  const fetcher = factorsFetcher(services)
  const refreshing = fetcher
    ? await ensureFresh(services, fetcher, { tenantId: access.tenant.id })
    : false
  const [rows, summary] = await Promise.all([
    listMfa(db, access.tenant.id, {
      state: input.state,
      before: input.cursor,
      limit: input.limit,
      only,
    }),
    countMfa(db, access.tenant.id),
  ])
  const { items, nextCursor } = cutPage(rows, input.limit)
  const offline = fetcher ? null : failureTexts(readerLanguage())('readings.noIdentityProvider')
  return { items: items.map((row) => toMemberMfa(row, offline)), nextCursor, summary, refreshing }
}

function toMemberMfa(row: MfaRow, offline: string | null): MemberMfa {
  return {
    userId: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    state: row.enrolled === null ? 'unknown' : row.enrolled ? 'enrolled' : 'not_enrolled',
    enrolled: row.enrolled,
    factors: row.factors,
    checkedAt: row.readAt?.toISOString() ?? null,
    reason: readFailure(row.failure) ?? (row.enrolled === null ? offline : null),
  }
}
