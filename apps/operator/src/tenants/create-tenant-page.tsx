import { CreateTenant } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { type ProblemInfo, problemOf } from '@atrium/ui/problem'
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

const t = translations('operator.tenants')

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
          done(t('create.done', { tenant: tenant.name }))
          void navigate({ to: '/tenants/$slug', params: { slug: tenant.slug } })
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  const taken = create.error !== null && problemOf(create.error).code === 'already_exists'
  return (
    <>
      <PageHeader title={t('new')} description={t('create.description')} />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title={t('create.workspace')}>
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
              <OwnerInput {...form.getInputProps('ownerEmail')} />
            </Stack>
          </Panel>
          <Panel title={t('fields.plan')} description={t('create.planHint')}>
            <Stack>
              <PlanChoice
                value={form.values.plan}
                onChange={(plan) => form.setFieldValue('plan', plan)}
              />
              <NumberInput
                label={t('fields.seats')}
                description={t('create.seatsHint')}
                min={0}
                max={1_000_000}
                allowDecimal={false}
                maw={240}
                {...form.getInputProps('seats')}
              />
            </Stack>
          </Panel>
          <Panel title={t('create.later')} description={t('create.laterHint')}>
            <Stack>
              <TagsInput
                label={t('create.domains')}
                description={t('create.domainsHint')}
                placeholder={t('domains.placeholder')}
                splitChars={[',', ' ']}
                acceptValueOnBlur
                autoCapitalize="none"
                spellCheck={false}
                {...form.getInputProps('domains')}
              />
              <PartnerInput
                label={t('fields.partner')}
                description={t('create.partnerHint')}
                {...form.getInputProps('partnerId')}
              />
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  label={t('fields.industry')}
                  autoComplete="off"
                  {...form.getInputProps('industry')}
                />
                <ColorInput
                  label={t('fields.colour')}
                  placeholder="#1f6feb"
                  format="hex"
                  withEyeDropper={false}
                  {...form.getInputProps('brandColor')}
                />
              </SimpleGrid>
            </Stack>
          </Panel>
          <Panel title={t('billing.title')} description={t('create.billingHint')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label={t('fields.company')}
                autoComplete="off"
                {...form.getInputProps('billingInfo.company')}
              />
              <TextInput
                label={t('fields.vatNumber')}
                autoComplete="off"
                {...form.getInputProps('billingInfo.vatNumber')}
              />
              <TextInput
                label={t('fields.country')}
                placeholder="DE"
                maxLength={2}
                autoComplete="off"
                {...form.getInputProps('billingInfo.country')}
              />
              <TextInput
                label={t('create.billingEmail')}
                type="email"
                autoComplete="off"
                {...form.getInputProps('billingInfo.email')}
              />
            </SimpleGrid>
          </Panel>
          <FormFooter
            error={create.error}
            message={taken ? takenSentence(problemOf(create.error), form.values.slug) : undefined}
            submitLabel={t('create.submit')}
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/tenants' })}
          />
          {taken && form.values.slug !== undefined && (
            <LinkAnchor to="/tenants/$slug" params={{ slug: form.values.slug }} size="sm">
              {t('create.lookAt', { slug: form.values.slug })}
            </LinkAnchor>
          )}
        </Stack>
      </Box>
    </>
  )
}

/** Either the slug or a domain is taken; the issues of the rejection say which. */
function takenSentence({ message, issues }: ProblemInfo, slug: string | undefined): string {
  return slug !== undefined && issues.some(({ path }) => path === 'slug')
    ? t('create.slugTaken', { problem: message })
    : message
}
