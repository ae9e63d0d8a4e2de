import { type PriceView, UpdatePrice } from '@atrium/core/billing/prices'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { Alert, Divider, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconVersions } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { priceName } from './labels.ts'
import { LeaveOutConfirmation } from './leave-out.tsx'
import { useUpdatePrice } from './mutations.ts'
import { AmountFields, TermsFields } from './price-fields.tsx'
import {
  droppedCurrencies,
  inputOf,
  makesVersion,
  type PriceForm,
  toPriceForm,
  toUpdatePrice,
  validatePrice,
} from './price-form.ts'

const t = translations('operator.prices')

interface Props {
  price: PriceView
  opened: boolean
  onClose: () => void
}

/** Edits a price in a drawer beside its page. */
export function PriceEditor({ price, opened, onClose }: Props) {
  return (
    <SideDrawer
      opened={opened}
      onClose={onClose}
      title={t('edit.title', { price: priceName(price) })}
    >
      {opened && <EditorForm price={price} onClose={onClose} />}
    </SideDrawer>
  )
}

function EditorForm({ price, onClose }: Omit<Props, 'opened'>) {
  const navigate = useNavigate()
  const update = useUpdatePrice()
  const toInput = (values: PriceForm) => toUpdatePrice(price, values)
  const form = useForm<PriceForm>({
    initialValues: toPriceForm(price),
    validate: validatePrice(UpdatePrice, toInput),
  })
  useFollowRecord(form, toPriceForm(price))
  const { id: _, expectedVersion: __, ...changes } = toInput(form.values)
  const [confirmed, setConfirmed] = useState(false)
  const dropped = price.state === 'active' ? droppedCurrencies(price, form.values) : []
  const changed = Object.keys(changes).length > 0
  // Awaited, because a new version archives this one, and then its page no longer shows the form.
  const save = form.onSubmit(async (values) => {
    try {
      const saved = await update.mutateAsync(toUpdatePrice(price, values, confirmed ? dropped : []))
      onClose()
      done(
        saved.id === price.id ? t('edit.done') : t('edit.doneVersion', { version: saved.version }),
      )
      if (saved.id !== price.id) await navigate({ to: '/prices/$id', params: { id: saved.id } })
    } catch (error) {
      const rejected = Object.entries(fieldErrors(problemOf(error))).map(([path, message]) => [
        inputOf(path),
        message,
      ])
      form.setErrors(Object.fromEntries(rejected))
      focusFirstError(Object.fromEntries(rejected))
    }
  }, focusFirstError)
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <AmountFields form={form} />
        <Divider />
        <TermsFields form={form} />
        {makesVersion(price, form.values) && (
          <Alert icon={<IconVersions aria-hidden />} role="status">
            {t('edit.makesVersion', { version: price.version })}
          </Alert>
        )}
        {dropped.length > 0 && (
          <LeaveOutConfirmation
            currencies={dropped}
            confirmed={confirmed}
            onChange={setConfirmed}
          />
        )}
        <FormFooter
          error={update.error}
          submitLabel={t(makesVersion(price, form.values) ? 'edit.submitVersion' : 'edit.submit')}
          pending={update.isPending}
          disabled={!changed || (dropped.length > 0 && !confirmed)}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
