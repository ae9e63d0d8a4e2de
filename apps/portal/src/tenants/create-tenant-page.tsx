import type { Plan, TenantView } from '@atrium/core/tenants/tenants'
import { LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
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
  if (settings.isPending) return <LoadingRows label="Loading the settings of the partner" />
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

  // The short name follows the name for as long as nobody has chosen another one.
  function rename(name: string) {
    const { name: before, slug } = form.getValues()
    form.setFieldValue('name', name)
    if (slug === suggestSlug(before)) form.setFieldValue('slug', suggestSlug(name))
  }

  return (
    <>
      <PageHeader
        title={
          partner
            ? 'Add a customer'
            : tenants.length === 0
              ? 'Create your workplace'
              : 'Create a workplace'
        }
        description={`${partner ? `It belongs to ${partner.name}, and you become its owner. ` : ''}A name is enough. Sign-in, mail and files are set up for you while you watch.`}
      />
      <form onSubmit={form.onSubmit(submit, focusFirstError)} noValidate>
        <Stack gap="lg" maw={760}>
          <Panel title="Name and address">
            <Stack>
              <TextInput
                label="Name of the workplace"
                description="Usually the name of your organisation. It can be changed later."
                placeholder="Acme Incorporated"
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
            </Stack>
          </Panel>
          {partner ? (
            <Panel
              title="Plan"
              description="The customer gets it without a subscription, and it is recorded that you gave it."
            >
              <PlanCards
                value={form.values.plan}
                onChange={(plan) => form.setFieldValue('plan', plan)}
              />
            </Panel>
          ) : (
            <Panel
              title="Plan"
              description="Every plan comes with sign-in, mail and files. Storage is shared by the whole workplace."
            >
              <BeginningCards subscribes={subscribes} onChange={setSubscribes} />
            </Panel>
          )}
          <Panel
            title="Domains"
            description="Optional. Without one of your own you get an address under ours and can start at once."
          >
            <TagsInput
              label="Your own domains"
              description="Press Enter after each one. Each one works once you have proved that it is yours."
              placeholder={form.values.domains.length === 0 ? 'acme.com' : ''}
              splitChars={[',', ' ', ';']}
              acceptValueOnBlur
              maxTags={20}
              clearable
              clearButtonProps={{ 'aria-label': 'Clear domains' }}
              {...form.getInputProps('domains')}
              error={form.errors.domains ?? domainError(form.errors, form.values.domains)}
            />
          </Panel>
          <BillingPanel form={form} />
          {problem && !taken && problem.issues.length === 0 && (
            <ProblemAlert title="The workplace was not created." error={create.error} />
          )}
          <Group>
            <Button type="submit" size="md" loading={create.isPending}>
              Create workplace
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  )
}

/**
 * Issues of single domains carry their position (`domains.1`); people are told which one is meant.
 */
function domainError(
  errors: Record<string, unknown>,
  domains: readonly string[],
): string | undefined {
  const at = domains.findIndex((_, index) => errors[`domains.${index}`] !== undefined)
  return at === -1 ? undefined : `${domains[at]}: ${String(errors[`domains.${at}`])}`
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
            Billing details
          </Text>
          <Text span size="sm" c="dimmed">
            {' '}
            (optional, for your invoices)
          </Text>
        </span>
      </UnstyledButton>
      <div id="billing">
        {opened && (
          <SimpleGrid cols={{ base: 1, sm: 2 }} pt="md">
            <TextInput
              label="Company"
              autoComplete="organization"
              {...form.getInputProps('billingInfo.company')}
            />
            <NativeSelect
              label="Country"
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
