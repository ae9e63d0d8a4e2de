import type { ImportRowState, ImportView } from '@atrium/core/members/member-import'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta } from '@atrium/ui/tones'

const t = translations('portal.member-import')

/** A row's state as people read it; what is ready is only a promise while nothing has been made. */
export function rowMeta(state: ImportRowState, dryRun: boolean): StatusMeta {
  switch (state) {
    case 'ready':
      return dryRun
        ? { label: t('rowStates.ready'), tone: 'good' }
        : { label: t('rowStates.waiting'), tone: 'waiting' }
    case 'running':
      return { label: t('rowStates.running'), tone: 'working' }
    case 'created':
      return { label: t('rowStates.created'), tone: 'good' }
    case 'invited':
      return { label: t('rowStates.invited'), tone: 'good' }
    case 'incomplete':
      return { label: t('rowStates.incomplete'), tone: 'warning' }
    case 'refused':
      return { label: t('rowStates.refused'), tone: 'bad' }
  }
}

/**
 * Rows that need no more work, out of all: what a progress bar shows. 1 for an import without rows.
 */
export function progressOf({ total, ready, running }: ImportView['counts']): number {
  return total === 0 ? 1 : (total - ready - running) / total
}

/** "12 added, 1 rejected": the counts that are not zero, in one sentence for eye and ear. */
export function countsText(counts: ImportView['counts'], dryRun: boolean): string {
  const named = [
    [dryRun ? 'ready' : 'waiting', counts.ready],
    ['running', counts.running],
    ['created', counts.created],
    ['invited', counts.invited],
    ['incomplete', counts.incomplete],
    ['refused', counts.refused],
  ] as const
  const parts = named
    .filter(([, count]) => count > 0)
    .map(([state, count]) => t(`counts.${state}`, { count }))
  return parts.length > 0 ? t('counts.sentence', { parts: parts.join(', ') }) : t('counts.none')
}
