import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import * as links from '../links.ts'
import { cardName } from './card-labels.ts'
import { useSetPaymentMethod } from './mutations.ts'
import type { BillingSearch } from './search.ts'

const t = translations('portal.billing')

/**
 * After the card form's way back: makes the card that was entered the one to charge, once, and
 * clears the address.
 */
export function useCardReturn(
  slug: string,
  { setup_intent: setupIntentId, redirect_status: status, order }: BillingSearch,
) {
  const router = useRouter()
  const set = useSetPaymentMethod()
  const taken = useRef<string>(undefined)
  const { mutate } = set
  useEffect(() => {
    if (setupIntentId === undefined || taken.current === setupIntentId) return
    taken.current = setupIntentId
    void router.navigate({ ...links.billing(slug, order ? { order } : {}), replace: true })
    if (status === 'failed') return
    mutate(
      { slug, setupIntentId },
      {
        onSuccess({ card, payment }) {
          done(card ? t('card.charged', { card: cardName(card) }) : t('card.set'))
          if (payment?.outcome === 'paid')
            done(
              payment.number === null
                ? t('pay.done')
                : t('pay.doneNumber', { number: payment.number }),
            )
        },
      },
    )
  }, [router, slug, setupIntentId, status, order, mutate])
  return set
}
