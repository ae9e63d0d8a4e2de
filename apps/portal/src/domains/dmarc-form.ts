import {
  type DmarcPolicy,
  type DmarcSettings,
  type DomainView,
  SetDmarc,
} from '@atrium/core/mail/domains'
import { translations } from '@atrium/ui/messages'
import { z } from 'zod'

const t = translations('portal.domains')

/** The form as it is typed. */
export interface DmarcFormValues {
  policy: DmarcPolicy
  rua: string
  pct: number | string
}

const { policy, rua, pct } = SetDmarc.shape

/** What the form is checked against: the API's own rules. */
export const DmarcForm = z.object({ policy, rua, pct })

export function fromDmarc({
  policy: chosen,
  rua: address,
  pct: share,
}: DmarcSettings): DmarcFormValues {
  return { policy: chosen, rua: address ?? '', pct: share }
}

/**
 * The call made of a form. A share makes no sense while nothing is done, so it goes back to all
 * mail.
 */
export function toSetDmarc(
  path: Pick<SetDmarc, 'slug' | 'domain' | 'expectedVersion'>,
  values: DmarcFormValues,
): SetDmarc {
  const share = values.policy === 'none' || values.pct === '' ? 100 : Number(values.pct)
  return { ...path, policy: values.policy, rua: values.rua.trim() || null, pct: share }
}

/** What speaks against a stricter policy right now; undefined when nothing does. */
export function dmarcCaution(
  { records }: Pick<DomainView, 'records'>,
  chosen: DmarcPolicy,
): string | undefined {
  if (chosen === 'none') return undefined
  const missing = (['spf', 'dkim'] as const).filter((purpose) => {
    const ours = records.filter((record) => record.purpose === purpose)
    return ours.length === 0 || ours.some(({ verdict }) => verdict !== 'ok')
  })
  if (missing.length === 0) return undefined
  const [only] = missing.length === 1 ? missing : []
  return t('dmarc.caution', { missing: only ?? 'both', policy: chosen })
}
