import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendarDollar } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.billing')

/** A price change that lies ahead, and how to decline it where that is possible. */
export function ComingPrice({ slug, mayDecline }: { slug: string; mayDecline: boolean }) {
  const { priceMigrations } = useTRPC()
  const queryClient = useQueryClient()
  const coming = useQuery(priceMigrations.coming.queryOptions({ slug }))
  const keep = useMutation(
    priceMigrations.keep.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(priceMigrations.coming.queryFilter({ slug })),
    }),
  )
  const [opened, { open, close }] = useDisclosure(false)
  if (!coming.data) return null
  const { effectiveAt, currency, oldMinor, newMinor, cycle, mayKeep } = coming.data
  const before = formatMoney(oldMinor, currency)
  return (
    <Alert
      color="blue"
      icon={<IconCalendarDollar aria-hidden />}
      title={t('comingPrice.title', { day: formatDay(effectiveAt) })}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(`comingPrice.change.${cycle}`, { before, after: formatMoney(newMinor, currency) })}{' '}
          {t(mayKeep ? 'comingPrice.mayKeep' : 'comingPrice.mayCancel')}
        </Text>
        {mayKeep && mayDecline && (
          <Button size="xs" variant="default" onClick={open}>
            {t('comingPrice.keep.action')}
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        destructive={false}
        title={t('comingPrice.keep.title', { before })}
        confirmLabel={t('comingPrice.keep.action')}
        onConfirm={async () => {
          await keep.mutateAsync({ slug })
          done(t('comingPrice.keep.done'))
        }}
      >
        {t('comingPrice.keep.hint')}
      </ConfirmDialog>
    </Alert>
  )
}
