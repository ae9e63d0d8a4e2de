import { largestTenantLimit, type TenantLimit } from '@atrium/core/tenants/tenant-limits'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { limitLabel } from '@atrium/ui/limit-use'
import { translations } from '@atrium/ui/messages'
import { Alert, Checkbox, List, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import {
  changedLimits,
  type LimitsForm,
  loweredLimits,
  toLimitsForm,
  toLimitsInput,
} from './limits-form.ts'
import { useSetTenantLimits } from './mutations.ts'

const t = translations('operator.tenants')

interface Props {
  slug: string
  items: readonly TenantLimit[]
  onClose: () => void
}

/** The limits of one tenant as a form. Lowering one is confirmed first. */
export function LimitsEditor({ slug, items, onClose }: Props) {
  const update = useSetTenantLimits()
  const form = useForm<LimitsForm>({ initialValues: toLimitsForm(items) })
  useFollowRecord(form, toLimitsForm(items))
  const values = form.getValues()
  const lowered = loweredLimits(items, values)
  // What was confirmed, so that a further change asks again.
  const [confirmed, setConfirmed] = useState('')
  const toConfirm = lowered.map(({ name, next }) => `${name} ${next}`).join()
  const save = form.onSubmit((provided) =>
    update.mutate(toLimitsInput(slug, items, provided), {
      onSuccess: () => {
        done(t('limits.saved'))
        onClose()
      },
    }),
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('limits.hint')}
        </Text>
        {items.map((item) => (
          <NumberInput
            key={item.name}
            label={limitLabel(item)}
            description={
              item.used === null
                ? t('limits.standard', { standard: item.standard })
                : t('limits.standardAndUsed', { standard: item.standard, used: item.used })
            }
            placeholder={String(item.standard)}
            min={0}
            max={largestTenantLimit}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            {...form.getInputProps(`most.${item.name}`)}
          />
        ))}
        <TextInput
          label={t('limits.reason')}
          description={t('limits.reasonHint')}
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        {lowered.length > 0 && (
          <Alert
            color="yellow"
            icon={<IconAlertTriangle aria-hidden />}
            title={t('limits.lowered.title')}
          >
            <List size="sm" mb="sm">
              {lowered.map((item) => {
                const reached = item.used !== null && item.used >= item.next
                return (
                  <List.Item key={item.name}>
                    {t(reached ? 'limits.lowered.itemReached' : 'limits.lowered.item', {
                      limit: limitLabel(item),
                      before: item.most,
                      after: item.next,
                    })}
                  </List.Item>
                )
              })}
            </List>
            <Checkbox
              label={t('limits.lowered.confirm')}
              checked={confirmed === toConfirm}
              onChange={(event) => setConfirmed(event.currentTarget.checked ? toConfirm : '')}
            />
          </Alert>
        )}
        <FormFooter
          error={update.error}
          submitLabel={t('limits.save')}
          pending={update.isPending}
          disabled={
            changedLimits(items, values).length === 0 ||
            (lowered.length > 0 && confirmed !== toConfirm)
          }
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
