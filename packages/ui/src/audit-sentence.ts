import type { AuditEvent } from '@atrium/core/audit/audit'
import { fieldLabel } from '@atrium/core/audit/audit-changes'
import { formatCount, formatDay, formatList, formatMoney, formatPercent } from './format.ts'
import { translations } from './messages.ts'

const t = translations('ui.audit')

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
  const label = labelOf(field)
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
    return tiers
      ? t('changes.tiers', { count: tiers.length, currency: currency.toUpperCase() })
      : shown
  } catch {
    return undefined
  }
}

/** A field as the readers know it; one that is not in the catalogue is its name in words. */
function labelOf(field: string): string {
  // A part of a field goes by its own name: `billingInfo.country` is "country".
  const key = `fields.${field.slice(field.lastIndexOf('.') + 1)}` as 'fields.seats'
  return t.has(key) ? t(key) : fieldLabel(field)
}

/** A value as text: nothing is "none", so that an empty field is seen to be empty. */
function textOf(value: unknown, field: string): string {
  if (value === null || value === undefined || value === '') return t('changes.none')
  if (typeof value === 'boolean') return t(value ? 'changes.yes' : 'changes.no')
  const text = String(value)
  if (field === 'marginPct' && typeof value === 'number') return formatPercent(value)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return formatDay(text)
  return text.length > longest ? `${text.slice(0, longest).trimEnd()}…` : text
}

/**
 * What an update changed, to follow who did it: "changed seats 4 → 80 and plan starter → business",
 * "added anna@acme.test to recipients". Undefined for entries that changed nothing.
 */
export function changesText(event: Pick<AuditEvent, 'metadata'>): string | undefined {
  const changes = readChanges(event)
  const scalar = changes.flatMap((change) =>
    'before' in change
      ? [
          t('changes.fromTo', {
            field: change.label,
            before: change.before,
            after: change.after,
          }),
        ]
      : [],
  )
  const named = changes.flatMap((change) =>
    'before' in change || 'added' in change ? [] : [change.label],
  )
  const lists = changes.flatMap((change) => {
    if (!('added' in change)) return []
    const { label, added, removed } = change
    if (added.length + removed.length === 0) return [t('changes.reordered', { field: label })]
    return [
      ...(added.length > 0 ? [t('changes.added', { items: few(added), field: label })] : []),
      ...(removed.length > 0 ? [t('changes.removed', { items: few(removed), field: label })] : []),
    ]
  })
  const changed = [...scalar, ...named]
  const parts = [
    ...(changed.length > 0 ? [t('changes.changed', { fields: few(changed) })] : []),
    ...lists,
  ]
  return parts.length === 0 ? undefined : few(parts)
}

/** "a", "a and b", "a, b and c", "a, b, c and 4 more". */
function few(items: readonly string[]): string {
  const shown =
    items.length > mostParts + 1
      ? [
          ...items.slice(0, mostParts),
          t('changes.more', { count: formatCount(items.length - mostParts) }),
        ]
      : items
  return formatList(shown)
}

type Pair = [unknown, unknown]

const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)
