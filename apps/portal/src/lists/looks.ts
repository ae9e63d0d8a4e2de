import type { ListState } from '@atrium/core/lists'
import type { Look } from '@atrium/ui/tones'

export const listLooks: Readonly<Record<ListState, Look>> = {
  ok: { label: 'Active', tone: 'good' },
  pending: { label: 'Being set up', tone: 'working' },
  error: { label: 'Not delivered as shown', tone: 'bad' },
  removing: { label: 'Being removed', tone: 'working' },
}
