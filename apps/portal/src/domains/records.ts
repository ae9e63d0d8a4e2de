import type { DomainView, RecordPurpose, RecordVerdict } from '@atrium/core/mail/domains'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.domains')

interface Words {
  title: string
  text: string
}

type Kind = RecordPurpose | 'hostSpf' | 'certificates' | 'dane' | 'tlsReports' | 'mtaSts'

type Described = Pick<RecordVerdict, 'purpose' | 'type' | 'name' | 'value'>

function kindOf({ purpose, type, name, value }: Described): Kind {
  if (purpose !== 'other') return purpose
  if (/^_?mta-sts\./.test(name)) return 'mtaSts'
  if (name.startsWith('_smtp._tls.')) return 'tlsReports'
  if (type === 'TLSA') return 'dane'
  if (type === 'CAA' || name.startsWith('_validation-persist.')) return 'certificates'
  return type === 'TXT' && value.startsWith('v=spf1 ') ? 'hostSpf' : 'other'
}

/** What a record is for, in words for people who have never edited DNS. */
export function recordText(record: Described): Words {
  const kind = kindOf(record)
  return { title: t(`kinds.${kind}.title`), text: t(`kinds.${kind}.text`) }
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
  const total = needed.length
  const right = needed.filter(({ verdict }) => verdict === 'ok').length
  if (total === 0) return t('progress.none')
  return right === total ? t('progress.all', { total }) : t('progress.some', { right, total })
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
  const users = usage
    ? (['accounts', 'aliases', 'lists'] as const)
        .filter((kind) => usage[kind] > 0)
        .map((kind) => t(`obstacles.${kind}`, { count: usage[kind] }))
    : []
  return [
    ...(primary && siblings > 0 ? [t('obstacles.main')] : []),
    ...(users.length > 0 ? [t('obstacles.used', { users: formatList(users) })] : []),
  ]
}
