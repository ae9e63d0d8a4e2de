import { BillingAddress, type BillingAddressState } from '@atrium/core/billing/documents/views'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'

const t = translations('portal.billing-address')

const fields = ['line1', 'line2', 'postalCode', 'city', 'region'] as const
type Values = Record<(typeof fields)[number], string>

const valuesOf = (address: BillingAddressState['address']): Values => ({
  line1: address?.line1 ?? '',
  line2: address?.line2 ?? '',
  postalCode: address?.postalCode ?? '',
  city: address?.city ?? '',
  region: address?.region ?? '',
})

interface Props {
  /** What the address is written on. */
  on: 'invoices' | 'statements'
  address: BillingAddressState['address']
  editable: boolean
  saving: boolean
  onSave: (address: BillingAddress) => Promise<BillingAddressState>
}

/** The postal address that invoices or statements must name. */
export function AddressPanel({ on, address, editable, saving, onSave }: Props) {
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<Values>({
    initialValues: valuesOf(address),
    validate: zodForm(BillingAddress),
  })
  useFollowRecord(form, valuesOf(address))

  async function submit({ line1, line2, postalCode, city, region }: Values) {
    setUnplaced(undefined)
    try {
      const saved = await onSave({
        line1,
        line2: line2.trim() || null,
        postalCode: postalCode.trim() || null,
        city,
        region: region.trim() || null,
      })
      form.setInitialValues(valuesOf(saved.address))
      form.setValues(valuesOf(saved.address))
      done(t('saved'))
    } catch (error) {
      if (!showRejection(form, error)) setUnplaced(error)
    }
  }

  return (
    <Panel title={t('title')} description={t(`hint.${on}`)}>
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
        <Stack>
          <TextInput
            label={t('line1')}
            autoComplete="address-line1"
            maxLength={200}
            disabled={!editable}
            {...form.getInputProps('line1')}
          />
          <TextInput
            label={t('line2')}
            autoComplete="address-line2"
            maxLength={200}
            disabled={!editable}
            {...form.getInputProps('line2')}
          />
          <Group grow align="flex-start">
            <TextInput
              label={t('postalCode')}
              autoComplete="postal-code"
              maxLength={20}
              disabled={!editable}
              {...form.getInputProps('postalCode')}
            />
            <TextInput
              label={t('city')}
              autoComplete="address-level2"
              maxLength={100}
              disabled={!editable}
              {...form.getInputProps('city')}
            />
          </Group>
          <TextInput
            label={t('region')}
            autoComplete="address-level1"
            maxLength={100}
            disabled={!editable}
            {...form.getInputProps('region')}
          />
          {unplaced !== undefined && (
            <ProblemAlert title={t('failed')} error={unplaced} message={explain(unplaced)} />
          )}
          {editable && (
            <SaveButtons
              label={t('save')}
              saving={saving}
              dirty={form.isDirty()}
              onDiscard={form.reset}
            />
          )}
        </Stack>
      </form>
    </Panel>
  )
}
