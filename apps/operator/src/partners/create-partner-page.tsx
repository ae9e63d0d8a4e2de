import { CreatePartner } from '@atrium/core/partners/partners'
import { done } from '@atrium/ui/done'
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
          done(`${partner.name} is created. Invite its first owner next.`)
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
      <PageHeader
        title="New partner"
        description="A reseller that runs its own customers. Its staff are invited afterwards."
      />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title="Partner">
            <Stack>
              <TextInput
                label="Name"
                withAsterisk
                autoComplete="off"
                {...form.getInputProps('name')}
              />
              <TextInput
                label="Slug"
                description="Identifies the partner in URLs and cannot be changed later. It follows the name until you type one."
                placeholder={slug || 'follows-the-name'}
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
                label="Domain"
                placeholder="partner.example"
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('domain')}
              />
              <NumberInput
                label="Margin in percent"
                description="Its share of what its customers pay, without tax. Holds from today; later changes hold from the first of a month."
                min={0}
                max={100}
                decimalScale={2}
                maw={480}
                {...form.getInputProps('marginPct')}
              />
            </Stack>
          </Panel>
          <Panel title="Contact" description="Can be left out and changed later.">
            <ContactFields inputOf={form.getInputProps} />
          </Panel>
          <Panel title="Billing details" description="Payouts need them. Can be changed later.">
            <BillingFields inputOf={form.getInputProps} />
          </Panel>
          <FormFooter
            error={unplaced ? create.error : null}
            submitLabel="Create partner"
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/partners' })}
          />
        </Stack>
      </Box>
    </>
  )
}
