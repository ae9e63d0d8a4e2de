import type { AuditEvent } from '@atrium/core/audit/audit'
import { fieldLabel } from '@atrium/core/audit/audit-changes'
import { formatDay, formatMoney } from './format.ts'

/** A change of one field as people read it. */
export type ReadChange =
  | { label: string; before: string; after: string }
  | { label: string; added: string[]; removed: string[] }
  /** Of values that no line can show. */
  | { label: string }

/** Fields whose numbers are minor units of the entry's currency. */
const money = new Set(['perSeatAmount', 'periodAmount'])
const longest = 60
const mostParts = 3

/**
 * The changes of an entry, in the order in which the server wrote them; none of an entry that is no
 * update.
 */
export function readChanges({ metadata }: Pick<AuditEvent, 'metadata'>): ReadChange[] {
  const { changes, currency } = metadata
  if (!isRecord(changes)) return []
  const moved: Pair = isPair(changes.currency) ? changes.currency : [currency, currency]
  return Object.entries(changes).flatMap(([field, pair]) =>
    isPair(pair) ? [readChange(field, pair, moved)] : [],
  )
}

function readChange(
  field: string,
  [before, after]: Pair,
  [currencyBefore, currencyAfter]: Pair,
): ReadChange {
  const label = fieldLabel(field)
  const lists = [before, after].map((side) => (side === null ? [] : itemsOf(side)))
  const [was, is] = lists
  if (was && is && (Array.isArray(before) || Array.isArray(after))) {
    return {
      label,
      added: is.filter((item) => !was.includes(item)),
      removed: was.filter((item) => !is.includes(item)),
    }
  }
  if ([before, after].some((side) => typeof side === 'object' && side !== null)) return { label }
  const shown = (value: unknown, currency: unknown) =>
    money.has(field) && typeof value === 'number' && typeof currency === 'string'
      ? formatMoney(value, currency)
      : textOf(value, field)
  return { label, before: shown(before, currencyBefore), after: shown(after, currencyAfter) }
}

/**
 * The items of a list as texts; undefined where some are objects that are no amounts of a price.
 */
function itemsOf(side: unknown): string[] | undefined {
  if (!Array.isArray(side)) return undefined
  const texts = side.map((item) =>
    isObject(item) ? undefined : (amountOf(item) ?? textOf(item, '')),
  )
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/** Amounts of prices are kept as JSON, one per currency. */
function amountOf(item: unknown): string | undefined {
  if (typeof item !== 'string' || !item.startsWith('{"currency":')) return undefined
  try {
    const { currency, unitAmount, tiers } = JSON.parse(item) as {
      currency: string
      unitAmount: number
      tiers: unknown[] | null
    }
    const shown = formatMoney(unitAmount, currency)
    return tiers ? `${tiers.length} tiers in ${currency.toUpperCase()}` : shown
  } catch {
    return undefined
  }
}

/** A value as text: nothing is "none", so that an empty field is seen to be empty. */
function textOf(value: unknown, field: string): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value)
  if (field === 'marginPct') return `${text} %`
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return formatDay(text)
  return text.length > longest ? `${text.slice(0, longest).trimEnd()}…` : text
}

/**
 * What an update changed, as the end of a sentence that begins with who did: "changed seats 4 → 80
 * and plan starter → business", "added anna@acme.test to recipients". Undefined for entries that
 * changed nothing.
 */
export function changesText(event: Pick<AuditEvent, 'metadata'>): string | undefined {
  const changes = readChanges(event)
  const scalar = changes.flatMap((change) =>
    'before' in change ? [`${change.label} ${change.before} → ${change.after}`] : [],
  )
  const named = changes.flatMap((change) =>
    'before' in change || 'added' in change ? [] : [change.label],
  )
  const lists = changes.flatMap((change) => {
    if (!('added' in change)) return []
    const { label, added, removed } = change
    if (added.length + removed.length === 0) return [`changed the order of ${label}`]
    return [
      ...(added.length > 0 ? [`added ${few(added)} to ${label}`] : []),
      ...(removed.length > 0 ? [`removed ${few(removed)} from ${label}`] : []),
    ]
  })
  const changed = [...scalar, ...named]
  const parts = [...(changed.length > 0 ? [`changed ${few(changed)}`] : []), ...lists]
  return parts.length === 0 ? undefined : few(parts)
}

/** "a", "a and b", "a, b and c", "a, b, c and 4 more". */
function few(items: readonly string[]): string {
  const shown =
    items.length > mostParts + 1
      ? [...items.slice(0, mostParts), `${items.length - mostParts} more`]
      : items
  const last = shown.at(-1) ?? ''
  return shown.length <= 1 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}

type Pair = [unknown, unknown]

const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)
