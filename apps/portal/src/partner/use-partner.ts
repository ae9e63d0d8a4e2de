import type { PartnerRight } from '@atrium/core/partners/partner-access'
import { hasPartnerRight } from '@atrium/core/partners/partner-rights'
import type { PartnerView } from '@atrium/core/partners/partners'
import type { UserView } from '@atrium/core/users/users'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'

type Partner = NonNullable<UserView['partner']>

/**
 * The partner that the person works for, unless it is terminated: then there is no partner area.
 */
export function partnerOf({ partner }: Pick<UserView, 'partner'>): Partner | undefined {
  return partner && partner.status !== 'terminated' ? partner : undefined
}

/**
 * The partner of the area. Pages below PartnerFrame may ask for it: the frame renders them once it
 * is there.
 */
export function usePartner(): PartnerView {
  const { me } = useProfile()
  const trpc = useTRPC()
  return useSuspenseQuery(trpc.partners.get.queryOptions({ slug: me.partner?.slug ?? '' })).data
}

/**
 * Whether something is shown. The API decides again; this only spares people pages that would
 * reject them.
 */
export function maySee({ access }: Pick<PartnerView, 'access'>, right: PartnerRight): boolean {
  return access !== null && hasPartnerRight(access, right)
}

/** Whether changes are offered: by level, while the partner is active. */
export function mayDo(
  partner: Pick<PartnerView, 'access' | 'status'>,
  right: PartnerRight,
): boolean {
  return partner.status === 'active' && maySee(partner, right)
}
