import { isDeepStrictEqual } from 'node:util'
import { checkText } from '@atrium/core/mail/check-text'
import type { Ask, DnsAnswer, RecordType } from '@atrium/core/mail/dns-answers'
import {
  judgeRecords,
  regressions,
  type StoredVerdict,
  secondsUntilNextCheck,
  stateOf,
  writeVerdict,
} from '@atrium/core/mail/domain-records'
import type { DomainCheckCause, DomainState, ExpectedRecord } from '@atrium/core/mail/domains'
import {
  type DomainRow,
  findDomainById,
  lastKnownVerdicts,
  proveDomain,
  saveDomainCheck,
} from '@atrium/db/mail/domains'
import type { Trx } from '@atrium/db/platform/connect'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import { defaultLanguage } from '@atrium/messages/languages'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Services } from '../../rpc/services.ts'
import { isDomainTaken } from './available.ts'
import { endOtherClaims, endSupersededClaim } from './end-claim.ts'
import { auditedDomain } from './find.ts'
import { syncWithMailServer } from './mail-side.ts'
import { hasMail, isManaged, recordsOf } from './view.ts'

/** The time limit of all DNS lookups for one domain; what is unresolved by then is `unknown`. */
const dnsMs = 12_000
const mailMs = 8_000
/** A record may reference others without end; no legitimate zone needs this many. */
const mostQuestions = 150

/** For whom a domain is checked. */
export interface CheckActor {
  /**
   * Checks the caller's right in the transaction that writes the first result, and rejects by
   * throwing.
   */
  stillMay?: (trx: Trx) => Promise<void>
  /** Writes an entry in the transaction of what it says. */
  record: (trx: Trx, entry: AuditEntry) => Promise<void>
}

/**
 * Compares a domain with live DNS and saves the result: expected records from the mail server (the
 * last known ones when it does not respond), a verdict on each, the state, the history. Returns the
 * domain as it is then, `removed` when it was removed meanwhile, `superseded` when another tenant
 * has proved it and so ended this claim.
 */
export async function checkDomain(
  services: Services,
  row: DomainRow,
  cause: DomainCheckCause,
  actor: CheckActor,
): Promise<DomainRow | 'removed' | 'superseded'> {
  const { db } = services.database
  if (await endSupersededClaim(services, row)) return 'superseded'
  const synced = await syncWithMailServer(services, row, mailMs)
  const verdicts = await judge(services.systems.dns, synced.name, recordsOf(services, synced))
  const shown = verdicts.some((record) => record.purpose === 'ownership' && record.verdict === 'ok')
  const due = synced.verifiedAt === null && (shown || isManaged(services, synced.name))
  // Here before the mail server: of several tenants that show ownership at once, one proves the
  // domain.
  const proof = due ? await prove(services, synced, actor) : undefined
  if (proof === 'removed' || proof === 'superseded') return proof
  const provenNow = proof === 'proven'
  const proven = synced.verifiedAt !== null || proof !== undefined
  // From now on the mail server takes mail for it; what was published stays right, because its keys
  // stay.
  const taken = provenNow
    ? await syncWithMailServer(services, { ...synced, verifiedAt: services.clock.now() }, mailMs)
    : synced
  const before = { ...taken, verifiedAt: synced.verifiedAt }
  const placed = before.mailDomainId ?? (proven ? null : before.mailPendingId)
  const complete =
    !hasMail(services) ||
    (placed !== null && before.mailRecordsComplete && before.mailError === null)
  const state = stateOf(verdicts, { proven, complete })
  const regressed =
    before.verifiedAt === null ? [] : regressions(await lastKnownVerdicts(db, before.id), verdicts)
  const changed =
    state !== before.state || !isDeepStrictEqual(inEnglish(verdicts), inEnglish(before.verdicts))
  const ageSeconds = (services.clock.now().getTime() - before.createdAt.getTime()) / 1000
  const saved = await db.transaction().execute(async (trx) => {
    // A proof was recorded with the caller's right: what follows from it is completed.
    if (!provenNow) await actor.stillMay?.(trx)
    const written = await saveDomainCheck(trx, {
      domainId: before.id,
      cause,
      state,
      previousState: before.state,
      regressed: regressed.length > 0,
      verdicts,
      // Storing every unchanged result of a frequent check would bury the changes.
      remember: cause === 'manual' || changed,
      nextInSeconds: secondsUntilNextCheck({ state, proven, complete, ageSeconds }),
    })
    if (written)
      for (const entry of checkEntries(before, { cause, state, regressed }))
        await actor.record(trx, entry)
    return written
  })
  const after = saved ? await findDomainById(db, before.id) : undefined
  if (!after) return 'removed'
  if (provenNow) await endOtherClaims(services, after)
  return after
}

/**
 * What the audit log keeps of a check: those that somebody asked for, and records that got worse.
 */
function checkEntries(
  before: DomainRow,
  check: { cause: DomainCheckCause; state: DomainState; regressed: readonly StoredVerdict[] },
): AuditEntry[] {
  const state = [before.state, check.state]
  const records = check.regressed.map(({ purpose, name, verdict, reason }) => ({
    purpose,
    name,
    verdict,
    reason,
  }))
  const domain = auditedDomain(before)
  return [
    ...(check.cause === 'manual'
      ? [{ ...domain, action: 'domain.rechecked' as const, metadata: { state } }]
      : []),
    ...(records.length > 0
      ? [
          {
            ...domain,
            action: 'domain.dns_regressed' as const,
            metadata: { state, records },
          },
        ]
      : []),
  ]
}

/** Without what only tells versions of this program apart. */
const inEnglish = (verdicts: readonly StoredVerdict[]) =>
  verdicts.map((record) => writeVerdict(record, defaultLanguage))

/**
 * Records the proof. `known` when another check recorded it meanwhile, `superseded` when another
 * tenant was first.
 */
async function prove(
  services: Services,
  row: DomainRow,
  { stillMay, record }: CheckActor,
): Promise<'proven' | 'known' | 'removed' | 'superseded'> {
  const { db } = services.database
  try {
    const proven = await db.transaction().execute(async (trx) => {
      await stillMay?.(trx)
      if (!(await proveDomain(trx, row.id))) return false
      await record(trx, { ...auditedDomain(row), action: 'domain.verified' })
      return true
    })
    if (proven) return 'proven'
  } catch (error) {
    if (!isDomainTaken(error)) throw error
    await endSupersededClaim(services, row)
    return 'superseded'
  }
  return (await findDomainById(db, row.id)) ? 'known' : 'removed'
}

/** Runs the rules, fetches what they ask for, and runs them again until they have all they need. */
async function judge(
  dns: DnsResolver,
  domain: string,
  records: readonly ExpectedRecord[],
): Promise<StoredVerdict[]> {
  const answers = new Map<string, DnsAnswer>()
  const signal = AbortSignal.timeout(dnsMs)
  for (;;) {
    const open = new Map<string, { type: RecordType; name: string }>()
    const ask: Ask = (type, name) => {
      const key = `${type} ${name}`
      const known = answers.get(key)
      if (known) return known
      if (answers.size + open.size >= mostQuestions)
        return { state: 'unknown', reason: checkText('dns.tooManyReferences') }
      open.set(key, { type, name })
      return undefined
    }
    const verdicts = judgeRecords(domain, records, ask)
    if (open.size === 0) return verdicts
    await Promise.all(
      [...open].map(async ([key, { type, name }]) =>
        answers.set(key, await answered(dns, type, name, signal)),
      ),
    )
  }
}

async function answered(
  dns: DnsResolver,
  type: RecordType,
  name: string,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  try {
    return await dns.lookup(type, name, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
    return { state: 'unknown', reason: checkText('dns.noResponse', { name }) }
  }
}
