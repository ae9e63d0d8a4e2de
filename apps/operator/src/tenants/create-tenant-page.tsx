import { CreateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import {
  Box,
  ColorInput,
  NumberInput,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { PartnerInput } from '../partners/partner-input.tsx'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { type CreateTenantForm, emptyTenant, shownSlug, toCreateTenant } from './create-form.ts'
import { useCreateTenant } from './mutations.ts'
import { OwnerInput } from './owner-input.tsx'
import { PlanChoice } from './plan-choice.tsx'

export const Route = createLazyRoute('/authenticated/tenants/new')({ component: CreateTenantPage })

function CreateTenantPage() {
  const navigate = useNavigate()
  const create = useCreateTenant()
  const form = useForm<CreateTenantForm>({
    initialValues: emptyTenant,
    validate: validateAs(CreateTenant, toCreateTenant),
    validateInputOnBlur: true,
  })
  const slug = shownSlug(form.values)
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit(
    (values) =>
      create.mutate(toCreateTenant(values), {
        onSuccess: (tenant) => {
          done(`${tenant.name} is created and being set up.`)
          void navigate({ to: '/tenants/$slug', params: { slug: tenant.slug } })
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  const taken = create.error !== null && problemOf(create.error).code === 'already_exists'
  return (
    <>
      <PageHeader
        title="New tenant"
        description="The record is made at once; its identity group, mail domain and file space are set up while you watch."
      />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title="Workspace">
            <Stack>
              <TextInput
                label="Name"
                withAsterisk
                autoComplete="off"
                {...form.getInputProps('name')}
              />
              <TextInput
                label="Slug"
                description="Identifies the tenant in URLs and upstream systems and cannot be changed later. It follows the name until you type one. If it is taken, a number is added."
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
              <OwnerInput {...form.getInputProps('ownerEmail')} />
            </Stack>
          </Panel>
          <Panel
            title="Plan"
            description="Given without a subscription, and recorded as a grant. With the free plan the tenant can subscribe itself."
          >
            <Stack>
              <PlanChoice
                value={form.values.plan}
                onChange={(plan) => form.setFieldValue('plan', plan)}
              />
              <NumberInput
                label="Seats"
                description="0 stands for no limit; with the free plan for the seats that it has."
                min={0}
                max={1_000_000}
                allowDecimal={false}
                maw={240}
                {...form.getInputProps('seats')}
              />
            </Stack>
          </Panel>
          <Panel
            title="Domains and partner"
            description="All of this can be left out and changed later."
          >
            <Stack>
              <TagsInput
                label="Own domains"
                description="Type a domain and press Enter. Without one the tenant gets a domain of the platform."
                placeholder="example.com"
                splitChars={[',', ' ']}
                acceptValueOnBlur
                autoCapitalize="none"
                spellCheck={false}
                {...form.getInputProps('domains')}
              />
              <PartnerInput
                label="Partner"
                description="Its staff see the tenant, sell it plan and seats, and may suspend it."
                {...form.getInputProps('partnerId')}
              />
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  label="Industry"
                  autoComplete="off"
                  {...form.getInputProps('industry')}
                />
                <ColorInput
                  label="Brand colour"
                  placeholder="#1f6feb"
                  format="hex"
                  withEyeDropper={false}
                  {...form.getInputProps('brandColor')}
                />
              </SimpleGrid>
            </Stack>
          </Panel>
          <Panel title="Billing details" description="Can be left out.">
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label="Company"
                autoComplete="off"
                {...form.getInputProps('billingInfo.company')}
              />
              <TextInput
                label="VAT number"
                autoComplete="off"
                {...form.getInputProps('billingInfo.vatNumber')}
              />
              <TextInput
                label="Country"
                placeholder="DE"
                maxLength={2}
                autoComplete="off"
                {...form.getInputProps('billingInfo.country')}
              />
              <TextInput
                label="Billing e-mail"
                type="email"
                autoComplete="off"
                {...form.getInputProps('billingInfo.email')}
              />
            </SimpleGrid>
          </Panel>
          <FormFooter
            error={create.error}
            message={
              taken ? takenSentence(problemOf(create.error).message, form.values.slug) : undefined
            }
            submitLabel="Create tenant"
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/tenants' })}
          />
          {taken && form.values.slug !== undefined && (
            <LinkAnchor to="/tenants/$slug" params={{ slug: form.values.slug }} size="sm">
              Look at the tenant {form.values.slug}
            </LinkAnchor>
          )}
        </Stack>
      </Box>
    </>
  )
}

/** What is taken may be the slug or a domain; the server says which. */
function takenSentence(said: string, slug: string | undefined): string {
  return slug !== undefined && /slug/.test(said)
    ? `${said} Choose another slug, or empty the field to get a numbered one.`
    : said
}
