import type { PriceView } from '@atrium/core/billing/prices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArchive, IconPencil, IconShoppingCart, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { failedCurrencies, priceName } from './labels.ts'
import { useActivatePrice, useArchivePrice, useDeletePrice } from './mutations.ts'
import { PriceEditor } from './price-editor.tsx'

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
        onConfirm={async () => {
          const saved = await activate.mutateAsync({ id: price.id })
          if (saved.state === 'active') done(t('activate.done', { price: priceName(price) }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('activate.effects.subscribe')}</List.Item>
          <List.Item>{t('activate.effects.former')}</List.Item>
          <List.Item>{t('activate.effects.processor')}</List.Item>
        </List>
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
