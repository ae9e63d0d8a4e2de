import type { SpendingLimitView } from '@atrium/core/billing/approvals'
import { minorUnitDigits } from '@atrium/core/billing/minor-units'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Button, Group, Modal, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useRemoveLimit, useSetLimit } from './mutations.ts'

const t = translations('portal.approvals')

/** What the partner may order in a month without asking. */
export function SpendingLimit({ slug, mayDecide }: { slug: string; mayDecide: boolean }) {
  const { data: limit } = useQuery(useTRPC().approvals.getLimit.queryOptions({ slug }))
  const [editing, edit] = useDisclosure(false)
  const [removing, ask] = useDisclosure(false)
  const remove = useRemoveLimit()
  if (limit === undefined) return null
  return (
    <>
      <DetailList>
        <DetailItem label={t('limit.title')}>
          {limit
            ? t('limit.value', {
                amount: formatMoney(limit.amountMinor, limit.currency),
                used: formatMoney(limit.usedMinor, limit.currency),
              })
            : t('limit.none')}
        </DetailItem>
      </DetailList>
      {mayDecide && (
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={edit.open}>
            {t(limit ? 'limit.change' : 'limit.set')}
          </Button>
          {limit && (
            <Button variant="subtle" color="gray" size="xs" onClick={ask.open}>
              {t('limit.remove')}
            </Button>
          )}
        </Group>
      )}
      <Modal opened={editing} onClose={edit.close} title={t('limit.title')} size="md">
        {editing && <LimitForm slug={slug} limit={limit} onClose={edit.close} />}
      </Modal>
      <ConfirmDialog
        opened={removing}
        onClose={ask.close}
        title={t('limit.removeTitle')}
        confirmLabel={t('limit.remove')}
        onConfirm={async () => {
          await remove.mutateAsync({ slug })
          done(t('limit.removed'))
        }}
      >
        {t('limit.removeEffect')}
      </ConfirmDialog>
    </>
  )
}

interface FormProps {
  slug: string
  limit: SpendingLimitView | null
  onClose: () => void
}

function LimitForm({ slug, limit, onClose }: FormProps) {
  const trpc = useTRPC()
  const subscription = useQuery(trpc.subscriptions.getOfTenant.queryOptions({ slug })).data
  const offered = useQuery(trpc.prices.offered.queryOptions({ slug })).data
  const own = subscription?.currency
  const currencies = [
    ...new Set([
      ...(own ? [own] : []),
      ...(limit ? [limit.currency] : []),
      ...(offered?.items ?? []).flatMap(({ amounts }) => amounts.map(({ currency }) => currency)),
    ]),
  ]
  const [chosen, setChosen] = useState<string | null>(null)
  const currency = chosen ?? own ?? limit?.currency ?? currencies[0] ?? 'eur'
  const digits = minorUnitDigits(currency)
  const [amount, setAmount] = useState<number | string>(
    limit ? limit.amountMinor / 10 ** minorUnitDigits(limit.currency) : '',
  )
  const [tooSmall, setTooSmall] = useState(false)
  const set = useSetLimit()
  async function submit(event: FormEvent) {
    event.preventDefault()
    const amountMinor = Math.round(Number(amount) * 10 ** digits)
    if (!(amountMinor > 0)) return setTooSmall(true)
    setTooSmall(false)
    try {
      await set.mutateAsync({ slug, currency, amountMinor })
    } catch {
      // The form shows the failure itself.
      return
    }
    done(t('limit.saved'))
    onClose()
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <Text size="sm">{t('limit.hint')}</Text>
        <Group align="flex-start">
          <NumberInput
            label={t('limit.amount')}
            min={0}
            decimalScale={digits}
            fixedDecimalScale
            allowNegative={false}
            hideControls
            value={amount}
            onChange={setAmount}
            error={tooSmall && t('limit.tooSmall')}
            data-autofocus
          />
          {currencies.length > 1 && (
            <Select
              label={t('limit.currency')}
              w={110}
              data={currencies.map((value) => ({ value, label: value.toUpperCase() }))}
              allowDeselect={false}
              withScrollArea={false}
              value={currency}
              onChange={setChosen}
            />
          )}
        </Group>
        {set.error && <ProblemAlert error={set.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={set.isPending}>
            {t('limit.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
