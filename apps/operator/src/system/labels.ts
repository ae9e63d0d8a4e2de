import type {
  BacklogKind,
  FailureKind,
  OutsideSystem,
  OutsideSystemHealth,
} from '@atrium/core/system/system'
import type { StatusMeta } from '@atrium/ui/tones'

export const systemNames: Readonly<Record<OutsideSystem, string>> = {
  identity: 'Identity provider',
  mail: 'Mail server',
  files: 'File storage',
  mailer: 'Outgoing mail',
  payments: 'Payment processor',
}

export const systemMeta: Readonly<Record<OutsideSystemHealth['state'], StatusMeta>> = {
  ok: { label: 'Responding', tone: 'good' },
  error: { label: 'Not responding', tone: 'bad' },
  off: { label: 'Not set up', tone: 'neutral' },
  unknown: { label: 'Not checked yet', tone: 'waiting' },
}

export const backlogNames: Readonly<Record<BacklogKind, string>> = {
  provisioning: 'Provisioning steps',
  members: 'Members',
  lists: 'Distribution lists',
  mails: 'Mails',
  events: 'Payment events',
  calendars: 'Calendars',
}

export const failureNames: Readonly<Record<FailureKind, string>> = {
  provisioning: 'Provisioning',
  member: 'Member',
  list: 'Distribution list',
  mail: 'Mail',
  event: 'Payment event',
  calendar: 'Calendar',
  job: 'Job',
}

/** "0.4 s", "12 min", "3 h". */
export function duration(seconds: number): string {
  if (seconds < 1) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** "812 KB", "1.4 GB". */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const
  const power = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)),
  )
  const amount = bytes / 1000 ** power
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${units[power]}`
}
