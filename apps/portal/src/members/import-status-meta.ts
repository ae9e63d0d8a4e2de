import type { ImportRowState, ImportView } from '@atrium/core/members/member-import'
import type { StatusMeta } from '@atrium/ui/tones'

/** A row's state as people read it; what is ready is only a promise while nothing has been made. */
export function rowMeta(state: ImportRowState, dryRun: boolean): StatusMeta {
  switch (state) {
    case 'ready':
      return dryRun
        ? { label: 'Can be added', tone: 'good' }
        : { label: 'Waiting', tone: 'waiting' }
    case 'running':
      return { label: 'Being added', tone: 'working' }
    case 'created':
      return { label: 'Added', tone: 'good' }
    case 'incomplete':
      return { label: 'Added, needs attention', tone: 'warning' }
    case 'refused':
      return { label: 'Refused', tone: 'bad' }
  }
}

/**
 * Rows that need no more work, out of all: what a progress bar shows. 1 for an import without rows.
 */
export function progressOf({ total, created, incomplete, refused }: ImportView['counts']): number {
  return total === 0 ? 1 : (created + incomplete + refused) / total
}

/** "12 added, 1 rejected": the counts that are not zero, in one sentence for eye and ear. */
export function countsText(counts: ImportView['counts'], dryRun: boolean): string {
  const parts = [
    counts.ready > 0 && `${counts.ready} ${dryRun ? 'can be added' : 'waiting'}`,
    counts.running > 0 && `${counts.running} being added`,
    counts.created > 0 && `${counts.created} added`,
    counts.incomplete > 0 && `${counts.incomplete} added but incomplete`,
    counts.refused > 0 && `${counts.refused} refused`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? `${parts.join(', ')}.` : 'There are no rows.'
}
