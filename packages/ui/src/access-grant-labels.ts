import type { GrantStatus, GrantView } from '@atrium/core/access-grants/access-grants'
import type { GrantScope } from '@atrium/core/access-grants/scopes'
import { formatList } from './format.ts'
import { translations } from './messages.ts'
import type { StatusMeta, Tone } from './tones.ts'

const t = translations('ui.access-grants')

const tones: Readonly<Record<GrantStatus, Tone>> = {
  pending: 'waiting',
  active: 'good',
  declined: 'bad',
  expired: 'neutral',
  withdrawn: 'neutral',
  ended: 'neutral',
}

export function grantMeta(status: GrantStatus): StatusMeta {
  return { label: t(`statuses.${status}`), tone: tones[status] }
}

/** "Members, Mail and Branding". */
export function scopesLabel(scopes: readonly GrantScope[]): string {
  return formatList(scopes.map((scope) => t(`scopes.${scope}`)))
}

/** Who has or wants an access. */
export function holderName({ holder }: Pick<GrantView, 'holder'>): string {
  return holder?.name ?? t('former')
}

/** Whether a request or an access is not over yet. */
export function isOpen({ status }: Pick<GrantView, 'status'>): boolean {
  return status === 'pending' || status === 'active'
}
