import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { ColorInput, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { DangerZone } from './danger-zone.tsx'
import { DeletedDomains } from './deleted-domains.tsx'
import { LimitsPanel } from './limits-panel.tsx'
import { useUpdateTenant } from './mutations.ts'
import { explain } from './problems.ts'
import { maySeeSettings } from './roles.ts'
import { changesOf, fromTenant, SettingsForm, type SettingsFormValues } from './settings-form.ts'
import { NoAccess } from './tenant-frame.tsx'
import { useTenant } from './use-tenant.ts'

/** What admins change about a workplace. */
export function SettingsPage() {
  const tenant = useTenant()
  if (!maySeeSettings(tenant.role)) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="Settings"
        tabTitle={`Settings of ${tenant.name}`}
        description={tenant.name}
      />
      <Stack gap="lg" maw={760}>
        {tenant.role === 'owner' && tenant.status === 'deleted' && (
          <DeletedDomains tenant={tenant} />
        )}
        <GeneralPanel key={tenant.id} tenant={tenant} />
        <LimitsPanel key={`limits of ${tenant.id}`} slug={tenant.slug} />
        {tenant.role === 'owner' && tenant.status !== 'deleted' && <DangerZone tenant={tenant} />}
      </Stack>
    </>
  )
}

const swatches = [
  '#1a6b82',
  '#1f4e8c',
  '#6240ac',
  '#a3326b',
  '#b53326',
  '#a65a12',
  '#1d7440',
  '#393631',
]

function GeneralPanel({ tenant }: { tenant: TenantView }) {
  const form = useForm<SettingsFormValues>({
    initialValues: fromTenant(tenant),
    validate: zodForm(SettingsForm),
  })
  useFollowRecord(form, fromTenant(tenant))
  const update = useUpdateTenant(tenant.slug)
  const closed = tenant.status === 'deleted'

  function submit(values: SettingsFormValues) {
    const changes = changesOf(tenant, values)
    if (!changes) return
    update.mutate(changes, {
      onSuccess: (saved) => {
        form.setInitialValues(fromTenant(saved))
        form.reset()
        done('The changes are saved.')
      },
      onError: (error) => {
        const errors = fieldErrors(problemOf(error))
        form.setErrors(errors)
        focusFirstError(errors)
      },
    })
  }

  return (
    <Panel title="General">
      <form onSubmit={form.onSubmit(submit, focusFirstError)} noValidate>
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={100}
            disabled={closed}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Industry"
            placeholder="Crafts, law, health care …"
            maxLength={100}
            disabled={closed}
            {...form.getInputProps('industry')}
          />
          <ColorInput
            label="Brand colour"
            description="Marks your workplace in lists and in the switcher."
            placeholder="#1a6b82"
            format="hex"
            swatches={swatches}
            swatchesPerRow={8}
            // The picker's sliders have no names for screen readers; a swatch or a typed value says
            // the same.
            withPicker={false}
            popoverProps={{ withinPortal: false }}
            eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
            disabled={closed}
            {...form.getInputProps('brandColor')}
          />
          <NumberInput
            label="Seats"
            description={`How many members there may be, at most what the plan has; 0 for all of it. ${tenant.memberCount === 1 ? 'One member' : `${tenant.memberCount} members`} at the moment.`}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=" "
            disabled={closed}
            {...form.getInputProps('seats')}
          />
          <Radio.Group
            label="When every seat is taken and somebody is added"
            {...form.getInputProps('seatMode')}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="fixed"
                disabled={closed}
                label="Refuse"
                description="Somebody raises the seats first."
              />
              <Radio
                value="auto"
                disabled={closed}
                label="Add a seat"
                description="With a subscription whoever adds the member sees the price and confirms it first."
              />
            </Stack>
          </Radio.Group>
          {update.error && problemOf(update.error).issues.length === 0 && (
            <ProblemAlert
              title="The changes were not saved."
              error={update.error}
              message={explain(update.error)}
            />
          )}
          <SaveButtons
            label="Save changes"
            saving={update.isPending}
            dirty={form.isDirty()}
            onDiscard={form.reset}
            disabled={closed}
          />
        </Stack>
      </form>
    </Panel>
  )
}
