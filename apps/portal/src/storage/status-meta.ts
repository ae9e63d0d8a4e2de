import type { MemberStorage, StorageState, StorageView } from '@atrium/core/upstream-cache/storage'
import { formatBytes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.storage')

const tones: Readonly<Record<StorageState, Tone>> = {
  normal: 'good',
  nearing: 'warning',
  critical: 'warning',
  exceeded: 'bad',
  disabled: 'neutral',
  unknown: 'neutral',
  no_space: 'waiting',
  unavailable: 'bad',
}

export function storageMeta(state: StorageState): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}

/** A size, or words for one that is not known: an unknown size is never shown as 0. */
export function sizeText(bytes: number | null): string {
  return bytes === null ? t('unknown') : formatBytes(bytes)
}

/** Share of the space in use, 0 to 100; undefined when there is no limit or it is not known. */
export function usedPercent({
  total,
  used,
}: Pick<StorageView, 'total' | 'used'>): number | undefined {
  if (total === null || used === null || total <= 0) return undefined
  return Math.min(100, (used / total) * 100)
}

/** One sentence on the space: shown beside the bar and read out. */
export function storageText(
  view: Pick<StorageView, 'total' | 'used' | 'remaining' | 'unlimited' | 'state'>,
): string {
  if (view.state === 'no_space') return t('space.none')
  if (view.used === null) return t('space.notRead')
  const used = formatBytes(view.used)
  if (view.unlimited) return t('space.unlimited', { used })
  if (view.total === null) return t('space.used', { used })
  const total = formatBytes(view.total)
  return view.remaining === null
    ? t('space.usedOf', { used, total })
    : t('space.usedOfLeft', { used, total, left: formatBytes(Math.max(0, view.remaining)) })
}

/** What the table says of a person's own space. */
export function memberUse({ state, used, reason, checkedAt }: MemberStorage): {
  text: string
  known: boolean
} {
  if (state === 'known' && used !== null) return { text: formatBytes(used), known: true }
  if (state === 'no_account') return { text: t('members.noAccount'), known: false }
  return { text: reason ?? t(checkedAt === null ? 'members.notRead' : 'unknown'), known: false }
}
