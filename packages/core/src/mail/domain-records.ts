import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import { trim } from '../platform/trim.ts'
import {
  type CheckText,
  checkText,
  isKnownCheckText,
  mapCheckValues,
  writeCheckText,
} from './check-text.ts'
import { type Comparison, compareDkim } from './dkim.ts'
import { compareDmarc, dmarcText } from './dmarc.ts'
import { type Ask, lookup, type RecordType } from './dns-answers.ts'
import type {
  DmarcSettings,
  DnsRecord,
  DomainState,
  ExpectedRecord,
  RecordPurpose,
  RecordVerdict,
} from './domains.ts'
import { isSpf } from './spf.ts'
import { compareSpf } from './spf-check.ts'
import { compareMtaSts, compareTlsReports } from './transport-security.ts'

/** Label below the domain at which ownership is proven. */
export const ownershipLabel = '_atrium'
const ownershipPrefix = 'atrium-verification='

const order: readonly RecordPurpose[] = ['ownership', 'mx', 'spf', 'dkim', 'dmarc', 'other']

export interface PublishedDomain {
  name: string
  ownershipToken: string
  /** Below the platform's own domain: nothing to prove. */
  managed: boolean
  dmarc: DmarcSettings
  /** What the mail server wants published; null while it was not asked, or where mail is off. */
  mailRecords: readonly DnsRecord[] | null
}

/**
 * What has to be published for a domain: the proof of ownership, what the mail server asks for, and
 * our DMARC record in the place of the mail server's, whose policy cannot be chosen.
 */
export function expectedRecords(domain: PublishedDomain): ExpectedRecord[] {
  const { name, mailRecords } = domain
  const records: ExpectedRecord[] = []
  if (!domain.managed) {
    const value = `${ownershipPrefix}${domain.ownershipToken}`
    records.push({
      type: 'TXT',
      name: `${ownershipLabel}.${name}`,
      value,
      purpose: 'ownership',
      required: true,
    })
  }
  for (const record of mailRecords ?? []) {
    if (record.type === 'TXT' && record.name === `_dmarc.${name}`) continue
    const purpose = purposeOf(record, name)
    records.push({
      type: record.type,
      name: record.name,
      value: record.value,
      purpose,
      required: purpose !== 'other',
    })
  }
  if (mailRecords)
    records.push({
      type: 'TXT',
      name: `_dmarc.${name}`,
      value: dmarcText(domain.dmarc),
      purpose: 'dmarc',
      required: true,
    })
  return records.sort((a, b) => order.indexOf(a.purpose) - order.indexOf(b.purpose))
}

function purposeOf({ type, name, value }: DnsRecord, domain: string): RecordPurpose {
  if (type === 'MX' && name === domain) return 'mx'
  if (type !== 'TXT') return 'other'
  if (name === domain && isSpf(value)) return 'spf'
  return name.endsWith(`._domainkey.${domain}`) ? 'dkim' : 'other'
}

/**
 * A verdict as it is stored: `reason` is in English, and `text` is the same before it was written.
 * Missing where an earlier version stored the verdict.
 */
export type StoredVerdict = RecordVerdict & { text?: CheckText | null | undefined }

/** A stored verdict for a reader of this language. */
export function writeVerdict(
  { text, ...verdict }: StoredVerdict,
  language: PageLanguage,
): RecordVerdict {
  const known = text && isKnownCheckText(text)
  return known ? { ...verdict, reason: writeCheckText(text, language) } : verdict
}

/** The records before any check. */
export function uncheckedRecords(records: readonly ExpectedRecord[]): StoredVerdict[] {
  return records.map((record) => ({ ...record, verdict: 'unchecked', found: [], reason: null }))
}

/**
 * The records with the verdicts of an earlier check, where the record asked for is still the same.
 */
export function withVerdicts(
  records: readonly ExpectedRecord[],
  judged: readonly StoredVerdict[],
): StoredVerdict[] {
  return uncheckedRecords(records).map((record) => {
    const before = judged.find(
      (one) => one.type === record.type && one.name === record.name && one.value === record.value,
    )
    if (!before) return record
    const { verdict, found, reason, text } = before
    return { ...record, verdict, found, reason, text }
  })
}

/** Compares each record with DNS. Queries more from run to run: see `Ask`. */
export function judgeRecords(
  domain: string,
  records: readonly ExpectedRecord[],
  ask: Ask,
): StoredVerdict[] {
  return records.map((record) => {
    const result = lookup(ask, record.type as RecordType, record.name)
    if (result.state === 'unknown')
      return { ...record, verdict: 'unknown', found: [], ...said(result.reason) }
    const values = result.state === 'found' ? result.values : []
    const { verdict, reason } = compare(domain, record, values, records, ask)
    const found = record.purpose === 'spf' ? values.filter((value) => /spf/i.test(value)) : values
    const hint = verdict === 'missing' && record.required ? whyMissing(domain, record, ask) : null
    return {
      ...record,
      verdict,
      found: found.slice(0, 20).map(shown),
      ...said(reason ?? hint),
    }
  })
}

/** DNS carries any bytes: controls would break a page or a log line, and PostgreSQL rejects NUL. */
function shown(value: string): string {
  const safe = value.toWellFormed().replace(unsafe, '\ufffd')
  return safe.length > 1_000 ? `${safe.slice(0, 1_000)}…` : safe
}
function said(reason: CheckText | null): { reason: string | null; text: CheckText | null } {
  if (reason === null) return { reason: null, text: null }
  const text = mapCheckValues(reason, shown)
  return { reason: shown(writeCheckText(text, defaultLanguage)), text }
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is being replaced
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

function compare(
  domain: string,
  record: ExpectedRecord,
  values: readonly string[],
  records: readonly ExpectedRecord[],
  ask: Ask,
): Comparison {
  switch (record.purpose) {
    case 'ownership':
      return compareOwnership(record.value, values)
    case 'mx':
      return compareMx(record.value, values, exchangersOf(records))
    case 'spf':
      return compareSpf({
        domain,
        expected: record.value,
        senders: exchangersOf(records).map(({ host }) => host),
        ask,
      })
    case 'dkim':
      return compareDkim(record.value, values)
    case 'dmarc':
      return compareDmarc(record.value, values)
    case 'other':
      return compareOther(domain, record, values)
  }
}

/** Records that mail works without, and that may differ from ours and still be right. */
function compareOther(
  domain: string,
  record: ExpectedRecord,
  values: readonly string[],
): Comparison {
  if (record.type === 'TXT' && record.name === `_mta-sts.${domain}`)
    return compareMtaSts(record.value, values)
  if (record.type === 'TXT' && record.name === `_smtp._tls.${domain}`)
    return compareTlsReports(record.value, values)
  return compareText(record, values)
}

function compareOwnership(expected: string, values: readonly string[]): Comparison {
  const bare = values.map((value) => trim(value, /[\s"“”]/))
  if (bare.includes(expected)) return { verdict: 'ok', reason: null }
  if (values.length === 0) return { verdict: 'missing', reason: null }
  const other = bare.some((value) => value.startsWith(ownershipPrefix))
  return {
    verdict: 'mismatch',
    reason: checkText(other ? 'records.otherCode' : 'records.otherValue'),
  }
}

interface Exchanger {
  host: string
  preference: number
}

function exchanger(value: string): Exchanger {
  const [preference = '', host = ''] = value.trim().split(/\s+/)
  return { host: host.toLowerCase(), preference: Number(preference) }
}

function exchangersOf(records: readonly ExpectedRecord[]): Exchanger[] {
  return records
    .filter((record) => record.purpose === 'mx')
    .map((record) => exchanger(record.value))
}

/**
 * A host that is not ours gets part of the mail, so it counts against every MX record. Among ours
 * the order decides, not the numbers.
 */
function compareMx(
  expected: string,
  values: readonly string[],
  ours: readonly Exchanger[],
): Comparison {
  const requested = exchanger(expected)
  const found = values.map(exchanger)
  if (found.length === 0) return { verdict: 'missing', reason: null }
  if (found.some(({ host }) => host === '' || host === '.')) {
    return {
      verdict: 'mismatch',
      reason: checkText('records.takesNoMail'),
    }
  }
  const foreign = found
    .filter(({ host }) => !ours.some((one) => one.host === host))
    .map(({ host }) => host)
  const there = found.find(({ host }) => host === requested.host)
  if (!there) {
    return {
      verdict: 'mismatch',
      reason: checkText('records.mailElsewhere', {
        hosts: list(foreign),
        host: requested.host,
      }),
    }
  }
  if (foreign.length > 0)
    return {
      verdict: 'mismatch',
      reason: checkText('records.mailPartlyElsewhere', { hosts: list(foreign) }),
    }
  const rank = (hosts: readonly Exchanger[], host: string) =>
    hosts.filter(
      (one) => one.preference < (hosts.find((two) => two.host === host)?.preference ?? 0),
    ).length
  if (rank(found, requested.host) !== rank(ours, requested.host)) {
    return {
      verdict: 'mismatch',
      reason: checkText('records.preferenceOrder', {
        found: there.preference,
        expected: requested.preference,
      }),
    }
  }
  return {
    verdict: 'ok',
    reason:
      there.preference === requested.preference
        ? null
        : checkText('records.preferenceSame', { found: there.preference }),
  }
}

function compareText(record: ExpectedRecord, values: readonly string[]): Comparison {
  if (values.length === 0) return { verdict: 'missing', reason: null }
  const flat = (value: string) =>
    record.type === 'TXT'
      ? value.replace(/\s+/g, ' ').trim()
      : value.replace(/\s+/g, ' ').trim().toLowerCase()
  return values.some((value) => flat(value) === flat(record.value))
    ? { verdict: 'ok', reason: null }
    : { verdict: 'mismatch', reason: checkText('records.otherValue') }
}

const list = (hosts: readonly string[]) => [...new Set(hosts)].slice(0, 5).join(', ')

/**
 * Panels that add the domain by themselves make `_dmarc.a.org.a.org` of `_dmarc.a.org`: the most
 * frequent reason by far.
 */
function whyMissing(domain: string, record: ExpectedRecord, ask: Ask): CheckText | null {
  const doubled = lookup(ask, record.type as RecordType, `${record.name}.${domain}`)
  if (doubled.state === 'found') {
    const label = record.name === domain ? '@' : record.name.slice(0, -domain.length - 1)
    return checkText('records.doubledDomain', { name: `${record.name}.${domain}`, label })
  }
  const apex = lookup(ask, 'TXT', domain)
  if (apex.state === 'absent' && apex.nonexistent)
    return checkText('records.unknownDomain', { domain })
  return null
}

/** The purposes without which mail does not work or the domain is not theirs. */
function isCritical({ purpose }: RecordVerdict): boolean {
  return purpose === 'ownership' || purpose === 'mx'
}

/**
 * The state of a domain. `proven`: ownership was shown at some time. `complete`: the mail server
 * has the domain and named all its records. Signatures by one of several keys are enough for mail
 * to pass, so DKIM is critical only when no key is right.
 */
export function stateOf(
  records: readonly RecordVerdict[],
  { proven, complete }: { proven: boolean; complete: boolean },
): DomainState {
  const required = records.filter((record) => record.required)
  if (required.length > 0 && required.every(({ verdict }) => verdict === 'unchecked'))
    return 'unchecked'
  if (!proven)
    return required.some((record) => record.purpose === 'ownership' && record.verdict === 'unknown')
      ? 'unknown'
      : 'pending'
  const bad = ({ verdict }: RecordVerdict) => verdict === 'missing' || verdict === 'mismatch'
  const unknown = ({ verdict }: RecordVerdict) => verdict === 'unknown'
  const keys = required.filter(({ purpose }) => purpose === 'dkim')
  if (
    required.some((record) => isCritical(record) && bad(record)) ||
    (keys.length > 0 && keys.every(bad))
  )
    return 'failing'
  if (required.some((record) => isCritical(record) && unknown(record))) return 'unknown'
  if (required.some(bad) || !complete) return 'degraded'
  return required.some(unknown) ? 'unknown' : 'verified'
}

/**
 * The required records that were right at the last known check and are wrong now. What could not be
 * asked is no regression, nor is what is wrong because something else is expected of it now, such
 * as a stricter policy that was set here and not published yet.
 */
export function regressions(
  before: readonly RecordVerdict[],
  after: readonly RecordVerdict[],
): RecordVerdict[] {
  const isSame = (one: RecordVerdict, other: RecordVerdict) =>
    one.type === other.type &&
    one.name === other.name &&
    one.purpose === other.purpose &&
    one.value === other.value
  const wasRight = (record: RecordVerdict) =>
    before.some((one) => isSame(one, record) && one.verdict === 'ok')
  return after.filter(
    (record) =>
      record.required &&
      (record.verdict === 'missing' || record.verdict === 'mismatch') &&
      wasRight(record),
  )
}

/**
 * The records as BIND zone text with absolute names; a TXT in pieces of at most 255 bytes (RFC 1035
 * sections 3.3.14 and 5.1).
 */
export function zoneText(records: readonly DnsRecord[]): string {
  return records
    .map((record) => `${record.name}. IN ${record.type} ${zoneValue(record)}\n`)
    .join('')
}

const withNames: Readonly<Record<string, true>> = { CNAME: true, MX: true, SRV: true }

function zoneValue({ type, value }: DnsRecord): string {
  if (type === 'TXT')
    return pieces(value)
      .map((piece) => `"${piece.replace(/[\\"]/g, '\\$&')}"`)
      .join(' ')
  return withNames[type] ? `${value.replace(/\.$/, '')}.` : value
}

function pieces(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  if (bytes.length <= 255) return [value]
  // Outside ASCII a character takes up to four bytes.
  const size = bytes.length === value.length ? 255 : 60
  const parts: string[] = []
  for (let from = 0; from < value.length; from += size) parts.push(value.slice(from, from + size))
  return parts
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * Seconds until the next automatic check: daily while everything is fine; every ten minutes while
 * DNS is unavailable or, for a day, while the proof of ownership may be about to be published;
 * every minute, for an hour, while signing keys are being created.
 */
export function secondsUntilNextCheck(domain: {
  state: DomainState
  proven: boolean
  complete: boolean
  ageSeconds: number
}): number {
  if (!domain.complete && domain.ageSeconds < hour) return minute
  if (!domain.complete || domain.state === 'unknown') return 10 * minute
  if (!domain.proven) return domain.ageSeconds < day ? 10 * minute : day
  return domain.state === 'verified' ? day : hour
}
