import type { MemberStorage, StorageState, StorageView } from '@atrium/core/upstream-cache/storage'
import { formatBytes } from '@atrium/ui/format'
import type { StatusMeta } from '@atrium/ui/tones'

export const storageMeta: Readonly<Record<StorageState, StatusMeta>> = {
  normal: { label: 'Plenty left', tone: 'good' },
  nearing: { label: 'Filling up', tone: 'warning' },
  critical: { label: 'Nearly full', tone: 'warning' },
  exceeded: { label: 'Full', tone: 'bad' },
  disabled: { label: 'Switched off', tone: 'neutral' },
  unknown: { label: 'Unknown', tone: 'neutral' },
  no_space: { label: 'Not set up yet', tone: 'waiting' },
  unavailable: { label: 'Could not be read', tone: 'bad' },
}

/** A size, or words for one that is not known: an unknown size is never shown as 0. */
export function sizeText(bytes: number | null): string {
  return bytes === null ? 'Unknown' : formatBytes(bytes)
}

/** Share of the space in use, 0 to 100; undefined when there is no limit or it is not known. */
export function usedPercent({
  total,
  used,
}: Pick<StorageView, 'total' | 'used'>): number | undefined {
  if (total === null || used === null || total <= 0) return undefined
  return Math.min(100, (used / total) * 100)
}

/** One sentence on the space: what stands beside the bar, and what is read out. */
export function storageText(
  view: Pick<StorageView, 'total' | 'used' | 'remaining' | 'unlimited' | 'state'>,
): string {
  if (view.state === 'no_space')
    return 'There is no file space yet. It is made with the other services of the workplace.'
  if (view.used === null) return 'How much is stored could not be read.'
  if (view.unlimited) return `${formatBytes(view.used)} used, without a limit.`
  if (view.total === null) return `${formatBytes(view.used)} used.`
  const left = view.remaining === null ? '' : `, ${formatBytes(Math.max(0, view.remaining))} left`
  return `${formatBytes(view.used)} of ${formatBytes(view.total)} used${left}.`
}

/** What the table says of a person's own space. */
export function memberUse({ state, used, reason, checkedAt }: MemberStorage): {
  text: string
  known: boolean
} {
  if (state === 'known' && used !== null) return { text: formatBytes(used), known: true }
  if (state === 'no_account') return { text: 'No file account', known: false }
  return { text: reason ?? (checkedAt === null ? 'Not read yet' : 'Unknown'), known: false }
}
