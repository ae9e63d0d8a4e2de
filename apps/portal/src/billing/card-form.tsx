import type { SetupIntent } from '@atrium/core/billing/billing'
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'

interface Props {
  intent: SetupIntent
  onCancel: () => void
}

/**
 * Where a card is entered: in the local workplace on the sandbox's own page, which leads back to
 * the billing page; with the real payment processor on a page of ours whose document, and no other,
 * may load the processor's form.
 */
export function CardForm({ intent, onCancel }: Props) {
  if (intent.cardFormUrl !== null)
    return <LocalForm address={intent.cardFormUrl} onCancel={onCancel} />
  if (intent.publishableKey === null) return <NoKey />
  return <ToCardPage />
}

/** The API has the processor's secret key but not the one for browsers. */
export function NoKey() {
  return (
    <Alert color="yellow" title="The card form is not set up.">
      The platform has no publishable key of its payment processor. Its operator has to set one.
    </Alert>
  )
}

function ToCardPage() {
  const { slug } = useTenant()
  useEffect(() => {
    // A document load: the content security policy of the page that is open keeps the processor's
    // script out.
    window.location.assign(`/t/${encodeURIComponent(slug)}/billing/card`)
  }, [slug])
  return (
    <Group role="status">
      <Loader size="sm" aria-hidden />
      <Text>Opening the card form …</Text>
    </Group>
  )
}

interface LocalProps {
  address: string
  onCancel?: () => void
}

/** The sandbox stands in for the processor, and its form is a page of its own. */
export function LocalForm({ address, onCancel }: LocalProps) {
  const { slug } = useTenant()
  const form = new URL(address)
  form.searchParams.set(
    'return_url',
    `${window.location.origin}/t/${encodeURIComponent(slug)}/billing`,
  )
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">
        This is a local workplace: cards are entered on the sandbox's own form, which lists test
        cards and leads back here.
      </Text>
      <Group gap="xs">
        <Button
          component="a"
          href={form.href}
          rightSection={<IconExternalLink size={17} aria-hidden />}
        >
          Enter the card
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </Stack>
  )
}
