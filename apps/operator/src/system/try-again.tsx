import type { SystemFailure } from '@atrium/core/system/system'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.system')
const frame = translations('ui.frame')

/**
 * Repeats failed work that needs no further input. Members may need a new password, so they are
 * retried on their page.
 */
export function TryAgain({ failure }: { failure: SystemFailure }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const settled = { onSettled: () => queryClient.invalidateQueries(trpc.system.pathFilter()) }
  const reconcile = useMutation(trpc.tenants.reconcile.mutationOptions(settled))
  const retryList = useMutation(trpc.lists.retry.mutationOptions(settled))
  const retryMail = useMutation(trpc.outbox.retry.mutationOptions(settled))
  const replay = useMutation(trpc.webhooks.replay.mutationOptions(settled))
  const actions = [reconcile, retryList, retryMail, replay]
  const failed = actions.find((act) => act.error !== null)?.error
  const again = chooseAction()
  if (!again) return null
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={actions.some((act) => act.isPending)}
        aria-label={
          failure.tenantSlug === null
            ? t('retry.label', { part: failure.part })
            : t('retry.labelOfTenant', { part: failure.part, tenant: failure.tenantSlug })
        }
        onClick={() => void again().catch(() => undefined)}
      >
        {frame('tryAgain')}
      </Button>
      {failed && (
        <Text size="xs" c="red" role="alert">
          {problemOf(failed).message}
        </Text>
      )}
    </>
  )

  function chooseAction(): (() => Promise<void>) | undefined {
    const { kind, id, part, tenantSlug: slug } = failure
    if (kind === 'mail')
      return async () => {
        await retryMail.mutateAsync({ id })
        done(t('retry.mail'))
      }
    if (kind === 'event')
      return async () => {
        await replay.mutateAsync({ id })
        done(t('retry.event'))
      }
    if (slug === null) return undefined
    if (kind === 'provisioning')
      return async () => {
        const { results } = await reconcile.mutateAsync({ slug })
        if (Object.values(results).every(({ state }) => state !== 'error'))
          done(t('retry.provisioning', { tenant: slug }))
      }
    if (kind === 'list')
      return async () => {
        const { state } = await retryList.mutateAsync({ slug, listId: id })
        if (state !== 'error') done(t('retry.list', { list: part }))
      }
    return undefined
  }
}
