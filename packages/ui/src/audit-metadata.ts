import { readChanges } from './audit-sentence.ts'
import { formatList } from './format.ts'
import { translations } from './messages.ts'

const t = translations('ui.audit')

/** One line of an entry's metadata as a person reads it. */
export interface MetadataLine {
  /** Path of keys from the root; unique within an entry. */
  path: string
  /** What the key is called; the key itself where the catalogue has no word for it. */
  label: string
  isKey?: boolean
  depth: number
  /** Absent on a line that only heads the lines below it. */
  value?: string
  /** A change of a field, when the value is the pair that `metadata.changes` holds. */
  change?: { before: string; after: string }
}

/**
 * Metadata as an indented list, in the order the server wrote it. `changes` (pairs of before and
 * after) become changes; other objects and lists of objects become headings with their parts below;
 * lists of plain values stay on one line.
 */
export function readMetadata(metadata: Readonly<Record<string, unknown>>): MetadataLine[] {
  return Object.entries(metadata).flatMap(([key, value]) =>
    key === 'changes' && isRecord(value)
      ? changesOf(key, metadata)
      : linesOf(key, labelOf(key), value, 0),
  )
}

function linesOf(path: string, label: Label, value: unknown, depth: number): MetadataLine[] {
  const parts = partsOf(value)
  if (!parts) return [{ path, ...label, depth, value: textOf(value) }]
  return [
    { path, ...label, depth },
    ...parts.flatMap(([key, part]) => linesOf(`${path}.${key}`, labelOf(key), part, depth + 1)),
  ]
}

function changesOf(key: string, metadata: Readonly<Record<string, unknown>>): MetadataLine[] {
  const lines = readChanges({ metadata }).map((change): MetadataLine => {
    const line = { path: `${key}.${change.label}`, label: capitalised(change.label), depth: 1 }
    if ('before' in change)
      return { ...line, change: { before: change.before, after: change.after } }
    if (!('added' in change)) return { ...line, value: t('changes.valueChanged') }
    const sides = [
      ...(change.added.length > 0
        ? [t('changes.valueAdded', { items: formatList(change.added) })]
        : []),
      ...(change.removed.length > 0
        ? [t('changes.valueRemoved', { items: formatList(change.removed) })]
        : []),
    ]
    return { ...line, value: sides.join('; ') || t('changes.orderChanged') }
  })
  return [{ path: key, ...labelOf(key), depth: 0 }, ...lines]
}

/**
 * The parts of a value that has named ones; undefined for plain values, empty ones and lists of
 * plain values.
 */
function partsOf(value: unknown): [string, unknown][] | undefined {
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === 'object' && item !== null)
      ? value.map((item, index) => [String(index + 1), item])
      : undefined
  }
  return isRecord(value) && Object.keys(value).length > 0 ? Object.entries(value) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as text: nothing is a dash, so that an empty field is seen to be empty. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return t(value ? 'changes.yes' : 'changes.no')
  if (Array.isArray(value)) return value.length > 0 ? value.map(textOf).join(', ') : '–'
  if (typeof value === 'object') return Object.keys(value).length > 0 ? JSON.stringify(value) : '–'
  return String(value)
}

type Label = Pick<MetadataLine, 'label' | 'isKey'>

function labelOf(key: string): Label {
  const [own, field] = [`keys.${key}` as 'keys.reason', `fields.${key}` as 'fields.seats']
  const isName = /^\w+$/.test(key)
  if (isName && t.has(own)) return { label: t(own) }
  if (isName && t.has(field)) return { label: capitalised(t(field)) }
  return /^\d+$/.test(key) ? { label: key } : { label: key, isKey: true }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
