import { type PriceView, UpdatePrice } from '@atrium/core/billing/prices'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { Alert, Divider, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconVersions } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { priceName } from './labels.ts'
import { useUpdatePrice } from './mutations.ts'
import { AmountFields, TermsFields } from './price-fields.tsx'
import {
  inputOf,
  makesVersion,
  type PriceForm,
  toPriceForm,
  toUpdatePrice,
  validatePrice,
} from './price-form.ts'

interface Props {
  price: PriceView
  opened: boolean
  onClose: () => void
}

/** Everything that can be changed of a price, at the side of its page. */
export function PriceEditor({ price, opened, onClose }: Props) {
  return (
    <SideDrawer opened={opened} onClose={onClose} title={`Change ${priceName(price)}`}>
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
  const changed = Object.keys(changes).length > 0
  // Awaited, because a new version archives this one, whose page then shows no form any more.
  const save = form.onSubmit(async (values) => {
    try {
      const saved = await update.mutateAsync(toInput(values))
      onClose()
      done(saved.id === price.id ? 'The price is saved.' : `Version ${saved.version} is made.`)
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
            This makes version {price.version + 1} or later and puts it on sale. Subscriptions at
            version {price.version} keep what they pay.
          </Alert>
        )}
        <FormFooter
          error={update.error}
          submitLabel={makesVersion(price, form.values) ? 'Make new version' : 'Save changes'}
          pending={update.isPending}
          disabled={!changed}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
