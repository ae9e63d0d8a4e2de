import type { PriceView } from '@atrium/core/billing/prices'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArchive, IconPencil, IconShoppingCart, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { failedCurrencies, priceName } from './labels.ts'
import { useActivatePrice, useArchivePrice, useDeletePrice } from './mutations.ts'
import { PriceEditor } from './price-editor.tsx'

interface Props {
  price: PriceView
}

/** What can be done with a price in its state. */
export function PriceActions({ price }: Props) {
  const [editing, { open, close }] = useDisclosure(false)
  if (price.state === 'archived')
    return failedCurrencies(price).length > 0 ? <Archive price={price} again /> : null
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={17} aria-hidden />} onClick={open}>
        Change
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
        Put on sale
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        destructive={false}
        title={`Put ${priceName(price)} on sale?`}
        confirmLabel="Put on sale"
        onConfirm={async () => {
          const saved = await activate.mutateAsync({ id: price.id })
          if (saved.state === 'active') done(`${priceName(price)} is on sale.`)
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>Tenants can subscribe at it from now on.</List.Item>
          <List.Item>
            The version that is on sale now goes out of it. Who subscribed at it keeps what they
            pay.
          </List.Item>
          <List.Item>
            With payments switched on, the price is made at the payment processor first.
          </List.Item>
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
        {again ? 'Tell the processor again' : 'Archive'}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Archive ${priceName(price)}?`}
        confirmLabel="Archive price"
        onConfirm={async () => {
          await archive.mutateAsync({ id: price.id })
          done(`${priceName(price)} is archived.`)
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>
            No new subscriptions can use this price, and it can't be restored. Create a new price
            instead.
          </List.Item>
          <List.Item>
            {price.subscriptions === 0
              ? 'No subscription runs at it.'
              : `${price.subscriptions} subscriptions run at it and go on.`}
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
        Delete
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Delete version ${price.version} of ${priceName(price)}?`}
        confirmLabel="Delete draft"
        onConfirm={async () => {
          await remove.mutateAsync({ id: price.id })
          done('The draft is deleted.')
          await navigate({ to: '/prices' })
        }}
      >
        It was never on sale, so nothing else changes.
      </ConfirmDialog>
    </>
  )
}
