import { CreatePartner } from '@atrium/core/partners/partners'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { Box, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { type CreatePartnerForm, emptyPartner, shownSlug, toCreatePartner } from './create-form.ts'
import { useCreatePartner } from './mutations.ts'
import { BillingFields, ContactFields } from './record-fields.tsx'

const t = translations('operator.partners')

export const Route = createLazyRoute('/authenticated/partners/new')({
  component: CreatePartnerPage,
})

function CreatePartnerPage() {
  const navigate = useNavigate()
  const create = useCreatePartner()
  const form = useForm<CreatePartnerForm>({
    initialValues: emptyPartner,
    validate: validateAs(CreatePartner, toCreatePartner),
    validateInputOnBlur: true,
  })
  const slug = shownSlug(form.values)
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit(
    (values) =>
      create.mutate(toCreatePartner(values), {
        onSuccess: (partner) => {
          done(t('create.done', { partner: partner.name }))
          void navigate({
            to: '/partners/$slug',
            params: { slug: partner.slug },
            search: { tab: 'staff' },
          })
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  const unplaced = create.error && problemOf(create.error).issues.every(({ path }) => path === '')
  return (
    <>
      <PageHeader title={t('new')} description={t('create.description')} />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title={t('create.partner')}>
            <Stack>
              <TextInput
                label={t('fields.name')}
                withAsterisk
                autoComplete="off"
                {...form.getInputProps('name')}
              />
              <TextInput
                label={t('fields.slug')}
                description={t('create.slugHint')}
                placeholder={slug || t('create.slugPlaceholder')}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('slug')}
                value={form.values.slug ?? slug}
                onChange={(event) =>
                  form.setFieldValue('slug', event.currentTarget.value || undefined)
                }
              />
              <TextInput
                label={t('fields.domain')}
                placeholder={t('create.domainPlaceholder')}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('domain')}
              />
              <NumberInput
                label={t('fields.margin')}
                description={t('create.marginHint')}
                min={0}
                max={100}
                decimalScale={2}
                maw={480}
                {...form.getInputProps('marginPct')}
              />
            </Stack>
          </Panel>
          <Panel title={t('overview.contact')} description={t('create.contactHint')}>
            <ContactFields inputOf={form.getInputProps} />
          </Panel>
          <Panel title={t('overview.billing')} description={t('create.billingHint')}>
            <BillingFields inputOf={form.getInputProps} />
          </Panel>
          <FormFooter
            error={unplaced ? create.error : null}
            submitLabel={t('create.submit')}
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/partners' })}
          />
        </Stack>
      </Box>
    </>
  )
}
