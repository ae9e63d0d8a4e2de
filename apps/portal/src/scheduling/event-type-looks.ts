import type { Look } from '@atrium/ui/tones'

/** States of an event type that visitors would notice. */
export const stateLooks: Readonly<Record<'off' | 'unlisted', Look>> = {
  off: { label: 'Switched off', tone: 'neutral' },
  unlisted: { label: 'Not listed', tone: 'waiting' },
}
