import type { SetupIntent } from '@atrium/core/billing/billing'
import { translations } from '@atrium/ui/messages'
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'

const t = translations('portal.billing')

interface Props {
  intent: SetupIntent
  /** The order to come back to. */
  order?: string | undefined
  onCancel: () => void
}

/**
 * Where a card is entered: in the local workplace on the sandbox's own page, which leads back to
 * the billing page; with the real payment processor on our own page, the only document that may
 * load the processor's form.
 */
export function CardForm({ intent, order, onCancel }: Props) {
  if (intent.cardFormUrl !== null)
    return <LocalForm address={intent.cardFormUrl} order={order} onCancel={onCancel} />
  if (intent.publishableKey === null) return <NoKey />
  return <ToCardPage order={order} />
}

/** The API has the processor's secret key but not the one for browsers. */
export function NoKey() {
  return (
    <Alert color="yellow" title={t('card.noForm')}>
      {t('card.noKey')}
    </Alert>
  )
}

function ToCardPage({ order }: Pick<Props, 'order'>) {
  const { slug } = useTenant()
  useEffect(() => {
    // A document load: the content security policy of the page that is open keeps the processor's
    // script out.
    const query = order === undefined ? '' : `?order=${order}`
    window.location.assign(`/t/${encodeURIComponent(slug)}/billing/card${query}`)
  }, [slug, order])
  return (
    <Group role="status">
      <Loader size="sm" aria-hidden />
      <Text>{t('card.opening')}</Text>
    </Group>
  )
}

interface LocalProps {
  address: string
  order?: string | undefined
  onCancel?: () => void
}

/** The address of the billing page, on which what was entered is used. */
export function billingAddress(slug: string, order: string | undefined): string {
  const query = order === undefined ? '' : `?order=${order}`
  return `${window.location.origin}/t/${encodeURIComponent(slug)}/billing${query}`
}

/** The sandbox replaces the processor, and its form is a page of its own. */
export function LocalForm({ address, order, onCancel }: LocalProps) {
  const { slug } = useTenant()
  const form = new URL(address)
  form.searchParams.set('return_url', billingAddress(slug, order))
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">{t('card.local')}</Text>
      <Group gap="xs">
        <Button
          component="a"
          href={form.href}
          rightSection={<IconExternalLink size={17} aria-hidden />}
        >
          {t('card.enter')}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
