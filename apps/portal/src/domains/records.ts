import type { DomainView, RecordPurpose, RecordVerdict } from '@atrium/core/mail/domains'

interface Words {
  title: string
  text: string
}

const purposeLabels: Readonly<Record<RecordPurpose, Words>> = {
  ownership: {
    title: 'Proof of ownership',
    text: 'Shows that the domain is yours. Keep it in place.',
  },
  mx: {
    title: 'Incoming mail',
    text: 'Tells other mail servers where to deliver mail for the domain.',
  },
  spf: { title: 'Senders (SPF)', text: 'Lists the servers that may send mail for the domain.' },
  dkim: { title: 'Signature (DKIM)', text: 'The key that receivers verify your signatures with.' },
  dmarc: {
    title: 'Forged mail (DMARC)',
    text: 'Tells receivers what to do with mail that fails these checks.',
  },
  other: { title: 'Set-up of mail programs', text: 'Mail programs find their settings with it.' },
}

const hostSenders: Words = {
  title: 'Senders (SPF)',
  text: 'For mail that the mail server sends in its own name.',
}
const certificates: Words = {
  title: 'Certificates',
  text: 'Says who may issue certificates for the domain.',
}
const dane: Words = {
  title: 'Certificates (DANE)',
  text: 'Shows which certificate is genuine. Needs DNSSEC.',
}
const reports: Words = {
  title: 'Encryption reports (TLS-RPT)',
  text: 'Where other mail servers report that encryption failed.',
}
const policy: Words = {
  title: 'Encrypted delivery (MTA-STS)',
  text: 'Asks other mail servers to deliver over verified encryption.',
}

/** What a record is for, in words for people who have never edited DNS. */
export function recordText({
  purpose,
  type,
  name,
  value,
}: Pick<RecordVerdict, 'purpose' | 'type' | 'name' | 'value'>): Words {
  if (purpose !== 'other') return purposeLabels[purpose]
  if (/^_?mta-sts\./.test(name)) return policy
  if (name.startsWith('_smtp._tls.')) return reports
  if (type === 'TLSA') return dane
  if (type === 'CAA' || name.startsWith('_validation-persist.')) return certificates
  return type === 'TXT' && value.startsWith('v=spf1 ') ? hostSenders : purposeLabels.other
}

const order: readonly RecordPurpose[] = ['ownership', 'mx', 'spf', 'dkim', 'dmarc', 'other']

/** The records that mail needs first, then the recommended ones. */
export function sortRecords(records: readonly RecordVerdict[]): RecordVerdict[] {
  return records.toSorted((a, b) => order.indexOf(a.purpose) - order.indexOf(b.purpose))
}

/** The name as most providers' forms want it: without the domain, `@` for the domain itself. */
export function hostPart(name: string, domain: string): string {
  if (name === domain) return '@'
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name
}

/** How many of the records that mail needs are in place: "5 of 6 needed records are right". */
export function progressText(records: readonly RecordVerdict[]): string {
  const needed = records.filter(({ required }) => required)
  if (needed.length === 0) return 'No records known yet'
  const right = needed.filter(({ verdict }) => verdict === 'ok').length
  if (right === needed.length)
    return needed.length === 1
      ? 'The needed record is right'
      : `All ${needed.length} needed records are right`
  return `${right} of ${needed.length} needed ${needed.length === 1 ? 'record is' : 'records are'} right`
}

/**
 * Preference and host of an MX value, which many forms ask for apart; undefined for anything else.
 */
export function mxParts({
  type,
  value,
}: Pick<RecordVerdict, 'type' | 'value'>): { preference: string; host: string } | undefined {
  const [, preference, host] = type === 'MX' ? (/^(\d+)\s+(\S+)$/.exec(value) ?? []) : []
  return preference !== undefined && host !== undefined ? { preference, host } : undefined
}

/** What keeps a domain from being removed, as sentences; empty when nothing does. */
export function removalObstacles(
  {
    primary,
    usage,
  }: Pick<DomainView, 'primary'> & {
    usage: { accounts: number; aliases: number; lists: number } | null
  },
  siblings: number,
): string[] {
  const counted = (count: number, one: string, several: string) =>
    count === 0 ? [] : [count === 1 ? `one ${one}` : `${count} ${several}`]
  const users = usage
    ? [
        ...counted(usage.accounts, 'mailbox', 'mailboxes'),
        ...counted(usage.aliases, 'alias', 'aliases'),
        ...counted(usage.lists, 'distribution list', 'distribution lists'),
      ]
    : []
  return [
    ...(primary && siblings > 0
      ? ['It is the main domain. Make another one the main domain first.']
      : []),
    ...(users.length > 0
      ? [`It is still used by ${joinList(users)}. Move or remove them first.`]
      : []),
  ]
}

function joinList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
