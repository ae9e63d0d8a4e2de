import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { LanguageSelect } from '@atrium/ui/language-select'
import { translations } from '@atrium/ui/messages'
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
import { PartnerPanel } from './partner-panel.tsx'
import { explain } from './problems.ts'
import { maySeeSettings } from './roles.ts'
import { changesOf, fromTenant, SettingsForm, type SettingsFormValues } from './settings-form.ts'
import { NoAccess } from './tenant-frame.tsx'
import { useTenant } from './use-tenant.ts'

const t = translations('portal.tenants')

/** What admins change about a workplace. */
export function SettingsPage() {
  const tenant = useTenant()
  if (!maySeeSettings(tenant.role)) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('settings.title')}
        tabTitle={t('settings.tabTitle', { tenant: tenant.name })}
        description={tenant.name}
      />
      <Stack gap="lg" maw={760}>
        {tenant.role === 'owner' && tenant.status === 'deleted' && (
          <DeletedDomains tenant={tenant} />
        )}
        <GeneralPanel key={tenant.id} tenant={tenant} />
        <LimitsPanel key={`limits of ${tenant.id}`} slug={tenant.slug} />
        {tenant.role === 'owner' && tenant.status !== 'deleted' && (
          <>
            <PartnerPanel tenant={tenant} />
            <DangerZone tenant={tenant} />
          </>
        )}
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
        done(t('settings.saved'))
      },
      onError: (error) => {
        const errors = fieldErrors(problemOf(error))
        form.setErrors(errors)
        focusFirstError(errors)
      },
    })
  }

  return (
    <Panel title={t('settings.general')}>
      <form onSubmit={form.onSubmit(submit, focusFirstError)} noValidate>
        <Stack>
          <TextInput
            label={t('settings.name')}
            required
            maxLength={100}
            disabled={closed}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t('settings.industry')}
            placeholder={t('settings.industryPlaceholder')}
            maxLength={100}
            disabled={closed}
            {...form.getInputProps('industry')}
          />
          <ColorInput
            label={t('settings.colour')}
            description={t('settings.colourHint')}
            placeholder="#1a6b82"
            format="hex"
            swatches={swatches}
            swatchesPerRow={8}
            // The picker's sliders have no names for screen readers; a swatch or a typed value says
            // the same.
            withPicker={false}
            popoverProps={{ withinPortal: false }}
            eyeDropperButtonProps={{ 'aria-label': t('settings.pickColour') }}
            disabled={closed}
            {...form.getInputProps('brandColor')}
          />
          <LanguageSelect
            label={t('settings.language')}
            description={t('settings.languageHint')}
            unset={t('settings.languageOfBrowser')}
            disabled={closed}
            {...form.getInputProps('language')}
          />
          <NumberInput
            label={t('settings.seats')}
            description={t('settings.seatsHint', { count: tenant.memberCount })}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=" "
            disabled={closed}
            {...form.getInputProps('seats')}
          />
          <Radio.Group label={t('settings.seatMode.label')} {...form.getInputProps('seatMode')}>
            <Stack gap={6} mt={6}>
              <Radio
                value="fixed"
                disabled={closed}
                label={t('settings.seatMode.fixed.label')}
                description={t('settings.seatMode.fixed.hint')}
              />
              <Radio
                value="auto"
                disabled={closed}
                label={t('settings.seatMode.auto.label')}
                description={t('settings.seatMode.auto.hint')}
              />
            </Stack>
          </Radio.Group>
          {update.error && problemOf(update.error).issues.length === 0 && (
            <ProblemAlert
              title={t('settings.saveFailed')}
              error={update.error}
              message={explain(update.error)}
            />
          )}
          <SaveButtons
            label={t('settings.save')}
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
