import { type PartnerView, UpdatePartner } from '@atrium/core/partners/partners'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { translations } from '@atrium/ui/messages'
import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { z } from 'zod'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useUpdatePartner } from './mutations.ts'
import { BillingFields, ContactFields } from './record-fields.tsx'

const t = translations('operator.partners')

interface Props {
  partner: PartnerView
  part: 'record' | 'contact' | 'billing'
  onClose: () => void
}

interface Values {
  name: string
  domain: string
  contactInfo: Record<'name' | 'email' | 'phone', string>
  billingInfo: Record<'company' | 'vatNumber' | 'country' | 'email', string>
}

/** One part of a partner's record as a form. Only that part is sent. */
export function PartnerEditor({ partner, part, onClose }: Props) {
  const update = useUpdatePartner()
  const stored = toValues(partner)
  const toInput = (values: Values) => ({
    ...toUpdate(partner.slug, part, stored, values),
    expectedVersion: partner.editVersion,
  })
  const form = useForm<Values>({
    initialValues: stored,
    validate: validateAs(UpdatePartner, toInput),
    validateInputOnBlur: true,
  })
  useFollowRecord(form, stored)
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(t('overview.saved', { partner: saved.name }))
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        {part === 'record' && (
          <>
            <TextInput
              label={t('fields.name')}
              withAsterisk
              data-autofocus
              {...form.getInputProps('name')}
            />
            <TextInput
              label={t('fields.domain')}
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps('domain')}
            />
          </>
        )}
        {part === 'contact' && <ContactFields inputOf={form.getInputProps} />}
        {part === 'billing' && <BillingFields inputOf={form.getInputProps} />}
        <FormFooter
          error={update.error}
          submitLabel={t('overview.save')}
          pending={update.isPending}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

function toValues(partner: PartnerView): Values {
  return {
    name: partner.name,
    domain: partner.domain ?? '',
    contactInfo: texts(partner.contactInfo),
    billingInfo: texts(partner.billingInfo),
  }
}

/** Only the changed fields of the part, so that changes others made to the rest are kept. */
function toUpdate(
  slug: string,
  part: Props['part'],
  before: Values,
  values: Values,
): z.input<typeof UpdatePartner> {
  switch (part) {
    case 'record':
      return {
        slug,
        ...(values.name === before.name ? {} : { name: values.name }),
        ...(values.domain === before.domain ? {} : { domain: values.domain.trim() || null }),
      }
    case 'contact':
      return { slug, contactInfo: changed(before.contactInfo, values.contactInfo) }
    case 'billing':
      return { slug, billingInfo: changed(before.billingInfo, values.billingInfo) }
  }
}

function texts<Name extends string>(fields: Record<Name, string | null>): Record<Name, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value ?? '']),
  ) as Record<Name, string>
}

/** The changed fields; an emptied one is null. */
function changed<Name extends string>(
  before: Record<Name, string>,
  fields: Record<Name, string>,
): Partial<Record<Name, string | null>> {
  const entries = Object.entries<string>(fields).filter(
    ([name, value]) => value !== before[name as Name],
  )
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.trim() || null]),
  ) as Partial<Record<Name, string | null>>
}
