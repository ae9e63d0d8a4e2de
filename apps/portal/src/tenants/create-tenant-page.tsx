import type { Plan, TenantView } from '@atrium/core/tenants/tenants'
import { LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import {
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { NoPartnerAccess } from '../partner/partner-frame.tsx'
import { mayDo, partnerOf } from '../partner/use-partner.ts'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import { countryOptions } from './countries.ts'
import {
  CreateForm,
  type CreateFormValues,
  emptyForm,
  suggestSlug,
  takenField,
  toCreateTenant,
} from './create-form.ts'
import classes from './create-tenant.module.css'
import { BeginningCards, PlanCards } from './plan-cards.tsx'
import { SlugField } from './slug-field.tsx'

const t = translations('portal.tenants')

/**
 * Asks for what a new workplace needs, creates it, and goes to the page that shows it being set up.
 * Staff of a partner make customers.
 */
export function CreateTenantPage() {
  const { me } = useProfile()
  const partner = partnerOf(me)
  if (!partner) return <CreateTenant plan={emptyForm.plan} />
  return mayDo(partner, 'manageCustomers') ? (
    <CreateCustomer slug={partner.slug} />
  ) : (
    <NoPartnerAccess />
  )
}

/** The form begins with the plan that the partner's settings name. */
function CreateCustomer({ slug }: { slug: string }) {
  const settings = useQuery(useTRPC().partners.settings.queryOptions({ slug }))
  if (settings.isPending) return <LoadingRows label={t('create.loading')} />
  return <CreateTenant plan={settings.data?.defaultPlan ?? emptyForm.plan} />
}

function CreateTenant({ plan }: { plan: Plan }) {
  const router = useRouter()
  const { me, tenants } = useProfile()
  const partner = partnerOf(me)
  // Checked on submit: an error that appears on leaving a field moves the button that was just
  // being pressed.
  const form = useForm<CreateFormValues>({
    initialValues: { ...emptyForm, plan },
    validate: zodForm(CreateForm),
  })
  const [subscribes, setSubscribes] = useState(false)
  const create = useCreateTenant(
    ({ slug }) => void router.navigate(subscribes ? links.billing(slug) : links.overview(slug)),
  )
  const problem = create.error ? problemOf(create.error) : undefined
  const taken = problem && takenField(problem)

  function submit(values: CreateFormValues) {
    create.mutate(toCreateTenant(values), {
      onError: (error) => {
        const rejected = problemOf(error)
        const field = takenField(rejected)
        const errors = { ...fieldErrors(rejected), ...(field ? { [field]: rejected.message } : {}) }
        form.setErrors(errors)
        focusFirstError(errors)
      },
    })
  }

  // The short name follows the name until another one is chosen.
  function rename(name: string) {
    const { name: before, slug } = form.getValues()
    form.setFieldValue('name', name)
    if (slug === suggestSlug(before)) form.setFieldValue('slug', suggestSlug(name))
  }

  return (
    <>
      <PageHeader
        title={t(
          `create.title.${partner ? 'customer' : tenants.length === 0 ? 'first' : 'further'}`,
        )}
        description={
          partner ? t('create.customerLead', { partner: partner.name }) : t('create.lead')
        }
      />
      <form onSubmit={form.onSubmit(submit, focusFirstError)} noValidate>
        <Stack gap="lg" maw={760}>
          <Panel title={t('create.naming.title')}>
            <Stack>
              <TextInput
                label={t('create.naming.name')}
                description={t('create.naming.nameHint')}
                placeholder={t('create.naming.namePlaceholder')}
                required
                autoComplete="organization"
                maxLength={100}
                {...form.getInputProps('name')}
                onChange={(event) => rename(event.currentTarget.value)}
              />
              <SlugField
                form={form}
                taken={taken === 'slug' ? create.variables?.slug : undefined}
              />
              {partner && (
                <TextInput
                  label={t('create.owner.label')}
                  description={t('create.owner.hint')}
                  type="email"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  maxLength={254}
                  {...form.getInputProps('ownerEmail')}
                />
              )}
            </Stack>
          </Panel>
          {partner ? (
            <Panel title={t('create.plan.title')} description={t('create.plan.customerHint')}>
              <PlanCards
                value={form.values.plan}
                onChange={(plan) => form.setFieldValue('plan', plan)}
              />
            </Panel>
          ) : (
            <Panel title={t('create.plan.title')} description={t('create.plan.hint')}>
              <BeginningCards subscribes={subscribes} onChange={setSubscribes} />
            </Panel>
          )}
          <Panel title={t('create.domains.title')} description={t('create.domains.description')}>
            <TagsInput
              label={t('create.domains.label')}
              description={t('create.domains.hint')}
              placeholder={form.values.domains.length === 0 ? t('create.domains.placeholder') : ''}
              splitChars={[',', ' ', ';']}
              acceptValueOnBlur
              maxTags={20}
              clearable
              clearButtonProps={{ 'aria-label': t('create.domains.clear') }}
              {...form.getInputProps('domains')}
              error={form.errors.domains ?? domainError(form.errors, form.values.domains)}
            />
          </Panel>
          <BillingPanel form={form} />
          {problem && !taken && problem.issues.length === 0 && (
            <ProblemAlert title={t('create.failed')} error={create.error} />
          )}
          <Group>
            <Button type="submit" size="md" loading={create.isPending}>
              {t('create.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  )
}

/** Issues of single domains have their position (`domains.1`); the message names the domain. */
function domainError(
  errors: Record<string, unknown>,
  domains: readonly string[],
): string | undefined {
  const at = domains.findIndex((_, index) => errors[`domains.${index}`] !== undefined)
  const domain = domains[at]
  return domain === undefined
    ? undefined
    : t('create.domains.fault', { domain, fault: String(errors[`domains.${at}`]) })
}

function BillingPanel({ form }: { form: UseFormReturnType<CreateFormValues> }) {
  const [unfolded, { toggle }] = useDisclosure(false)
  const opened = unfolded || Object.keys(form.errors).some((path) => path.startsWith('billingInfo'))
  return (
    <div className={classes.more}>
      <UnstyledButton
        className={classes.moreButton}
        onClick={toggle}
        aria-expanded={opened}
        aria-controls="billing"
      >
        <IconChevronDown
          size={18}
          aria-hidden
          className={classes.chevron}
          data-open={opened || undefined}
        />
        <span>
          <Text span fw={550}>
            {t('create.billing.title')}
          </Text>
          <Text span size="sm" c="dimmed">
            {' '}
            {t('create.billing.optional')}
          </Text>
        </span>
      </UnstyledButton>
      <div id="billing">
        {opened && (
          <SimpleGrid cols={{ base: 1, sm: 2 }} pt="md">
            <TextInput
              label={t('create.billing.company')}
              autoComplete="organization"
              {...form.getInputProps('billingInfo.company')}
            />
            <NativeSelect
              label={t('create.billing.country')}
              autoComplete="country"
              data={countryOptions()}
              {...form.getInputProps('billingInfo.country')}
            />
          </SimpleGrid>
        )}
      </div>
    </div>
  )
}

function useCreateTenant(onCreated: (tenant: TenantView) => void) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.tenants.create.mutationOptions({
      onSuccess: async (tenant) => {
        queryClient.setQueryData(trpc.tenants.get.queryKey({ slug: tenant.slug }), tenant)
        // The switcher and the roles on the next page come from the profile.
        await queryClient.invalidateQueries(trpc.users.me.pathFilter())
        onCreated(tenant)
      },
    }),
  )
}
