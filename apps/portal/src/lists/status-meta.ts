import type { ListState } from '@atrium/core/mail/lists'
import type { StatusMeta } from '@atrium/ui/tones'

export const listMeta: Readonly<Record<ListState, StatusMeta>> = {
  ok: { label: 'Active', tone: 'good' },
  pending: { label: 'Being set up', tone: 'working' },
  error: { label: 'Not delivered as shown', tone: 'bad' },
  removing: { label: 'Being removed', tone: 'working' },
}
