import type { StatusMeta } from '@atrium/ui/tones'

/** States of an event type that visitors would notice. */
export const stateMeta: Readonly<Record<'off' | 'unlisted', StatusMeta>> = {
  off: { label: 'Switched off', tone: 'neutral' },
  unlisted: { label: 'Not listed', tone: 'waiting' },
}
