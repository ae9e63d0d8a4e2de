import type { PriceView } from '@atrium/core/billing/prices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Box, Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArchive, IconPencil, IconShoppingCart, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { failedCurrencies, priceName } from './labels.ts'
import { LeaveOutConfirmation } from './leave-out.tsx'
import { useActivatePrice, useArchivePrice, useDeletePrice } from './mutations.ts'
import { PriceEditor } from './price-editor.tsx'
import { droppedCurrencies } from './price-form.ts'

const t = translations('operator.prices')

interface Props {
  price: PriceView
}

/** The actions that the state of a price allows. */
export function PriceActions({ price }: Props) {
  const [editing, { open, close }] = useDisclosure(false)
  if (price.state === 'archived')
    return failedCurrencies(price).length > 0 ? <Archive price={price} again /> : null
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={17} aria-hidden />} onClick={open}>
        {t('edit.action')}
      </Button>
      <PriceEditor price={price} opened={editing} onClose={close} />
      {price.state === 'draft' ? (
        <>
          <Delete price={price} />
          <PutOnSale price={price} />
        </>
      ) : (
        <Archive price={price} />
      )}
    </>
  )
}

function PutOnSale({ price }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const activate = useActivatePrice()
  const [confirmed, setConfirmed] = useState(false)
  const { plan, cycle } = price
  const onSale = useQuery(
    useTRPC().prices.list.queryOptions(
      { plan, cycle, state: 'active', limit: 1 },
      { enabled: opened },
    ),
  )
  const before = onSale.data?.items[0]
  const dropped = before ? droppedCurrencies(before, price) : []
  return (
    <>
      <Button leftSection={<IconShoppingCart size={17} aria-hidden />} onClick={open}>
        {t('activate.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        destructive={false}
        title={t('activate.question', { price: priceName(price) })}
        confirmLabel={t('activate.action')}
        disabled={!onSale.isSuccess || (dropped.length > 0 && !confirmed)}
        onConfirm={async () => {
          const leaveOut = confirmed && dropped.length > 0 ? { leaveOut: dropped } : {}
          const saved = await activate.mutateAsync({ id: price.id, ...leaveOut })
          if (saved.state === 'active') done(t('activate.done', { price: priceName(price) }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('activate.effects.subscribe')}</List.Item>
          <List.Item>{t('activate.effects.former')}</List.Item>
          <List.Item>{t('activate.effects.processor')}</List.Item>
        </List>
        {dropped.length > 0 && (
          <Box mt="md">
            <LeaveOutConfirmation
              currencies={dropped}
              confirmed={confirmed}
              onChange={setConfirmed}
            />
          </Box>
        )}
      </ConfirmDialog>
    </>
  )
}

function Archive({ price, again = false }: Props & { again?: boolean }) {
  const [opened, { open, close }] = useDisclosure(false)
  const archive = useArchivePrice()
  return (
    <>
      <Button variant="default" leftSection={<IconArchive size={17} aria-hidden />} onClick={open}>
        {t(again ? 'archive.retry' : 'archive.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('archive.question', { price: priceName(price) })}
        confirmLabel={t('archive.submit')}
        onConfirm={async () => {
          await archive.mutateAsync({ id: price.id })
          done(t('archive.done', { price: priceName(price) }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('archive.effects.final')}</List.Item>
          <List.Item>
            {t('archive.effects.subscriptions', { count: price.subscriptions })}
          </List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}

function Delete({ price }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const remove = useDeletePrice()
  return (
    <>
      <Button variant="default" leftSection={<IconTrash size={17} aria-hidden />} onClick={open}>
        {t('delete.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('delete.question', { version: price.version, price: priceName(price) })}
        confirmLabel={t('delete.submit')}
        onConfirm={async () => {
          await remove.mutateAsync({ id: price.id })
          done(t('delete.done'))
          await navigate({ to: '/prices' })
        }}
      >
        {t('delete.effects')}
      </ConfirmDialog>
    </>
  )
}
