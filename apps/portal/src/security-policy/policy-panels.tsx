import type { Warning } from '@atrium/core/platform/warnings'
import type {
  MfaMode,
  SecurityPolicyPreview,
  SecurityPolicyView,
  UpdateSecurityPolicy,
} from '@atrium/core/security-policy/security-policy'
import {
  absoluteMinutes,
  graceDays,
  idleMinutes,
} from '@atrium/core/security-policy/security-policy'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { Alert, Button, MultiSelect, NumberInput, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { countryName, countryOptions } from '../tenants/countries.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { addEntries } from './allowlist.ts'
import { AllowlistEditor } from './allowlist-editor.tsx'
import { usePreviewSecurityPolicy, useUpdateSecurityPolicy } from './mutations.ts'
import {
  changesOf,
  fromPolicy,
  minutesText,
  PolicyForm,
  type PolicyFormValues,
} from './policy-form.ts'
import { needsConfirmation, PreviewDialog } from './preview-dialog.tsx'

const t = translations('portal.security-policy')

const modes = ['off', 'optional', 'required'] as const satisfies readonly MfaMode[]

interface Props {
  policy: SecurityPolicyView
  editable: boolean
  onSaved: (warnings: Warning[]) => void
}

interface Previewed {
  changes: UpdateSecurityPolicy
  preview: SecurityPolicyPreview
}

const check = zodForm(PolicyForm)

/** The rules as one form, in panels. */
export function PolicyPanels({ policy, editable, onSaved }: Props) {
  const { slug } = useTenant()
  const update = useUpdateSecurityPolicy(slug)
  const preview = usePreviewSecurityPolicy()
  const [previewed, setPreviewed] = useState<Previewed>()
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<PolicyFormValues & { typed: string }>({
    initialValues: { ...fromPolicy(policy), typed: '' },
    validate: ({ typed, ...values }) => {
      const [rejected] = addEntries([], typed).rejected
      return {
        ...check(values),
        ...(rejected ? { ipAllowlist: `${rejected.text}: ${rejected.reason}` } : {}),
      }
    },
  })
  useFollowRecord(form, { ...fromPolicy(policy), typed: '' })
  const { values } = form

  function submit({ typed, ...rest }: PolicyFormValues & { typed: string }) {
    const ipAllowlist =
      typed.trim() === '' ? rest.ipAllowlist : addEntries(rest.ipAllowlist, typed).entries
    const changes = changesOf(slug, policy, { ...rest, ipAllowlist })
    setUnplaced(undefined)
    if (!changes) return form.reset()
    const { expectedVersion: _, ...fields } = changes
    preview.mutate(fields, {
      onSuccess: (found) => {
        if (needsConfirmation(found)) setPreviewed({ changes, preview: found })
        else void save(changes).catch(reject)
      },
      onError: reject,
    })
  }

  function reject(error: unknown) {
    if (!showRejection(form, error)) setUnplaced(error)
  }

  async function save(changes: UpdateSecurityPolicy) {
    const { securityPolicy, warnings } = await update.mutateAsync(changes)
    form.setInitialValues({ ...fromPolicy(securityPolicy), typed: '' })
    form.setValues({ ...fromPolicy(securityPolicy), typed: '' })
    onSaved(warnings)
    done(t('saved'))
  }

  const dirty = form.isDirty()
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      {previewed && (
        <PreviewDialog
          preview={previewed.preview}
          onClose={() => setPreviewed(undefined)}
          onConfirm={() => save(previewed.changes)}
        />
      )}
      <Stack gap="lg">
        {!policy.enforced && (
          <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} title={t('stored.title')}>
            <Stack gap="sm" align="flex-start">
              {t('stored.hint')}
              {editable && (
                <Button type="submit" size="xs" loading={preview.isPending || update.isPending}>
                  {t('stored.apply')}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        <Panel title={t('mfa.title')}>
          <Radio.Group aria-label={t('mfa.title')} {...form.getInputProps('mfaMode')}>
            <Stack gap="sm">
              {modes.map((mode) => (
                <Radio
                  key={mode}
                  value={mode}
                  label={t(`mfa.modes.${mode}.label`)}
                  description={t(`mfa.modes.${mode}.hint`)}
                  disabled={!editable}
                />
              ))}
            </Stack>
          </Radio.Group>
          {values.mfaMode === 'required' && (
            <NumberInput
              mt="md"
              maw={320}
              label={t('mfa.grace')}
              description={
                policy.mfaRequiredFrom
                  ? t('mfa.requiredFrom', { day: formatDay(policy.mfaRequiredFrom) })
                  : t('mfa.graceHint')
              }
              min={graceDays.min}
              max={graceDays.max}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              disabled={!editable}
              {...form.getInputProps('mfaGraceDays')}
            />
          )}
        </Panel>
        <Panel title={t('sessions.title')} description={t('sessions.hint')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput
              label={t('sessions.idle')}
              description={minutesText(values.sessionIdleMinutes) || t('sessions.noLimit')}
              placeholder="480"
              min={idleMinutes.min}
              max={idleMinutes.max}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              disabled={!editable}
              {...form.getInputProps('sessionIdleMinutes')}
            />
            <NumberInput
              label={t('sessions.absolute')}
              description={minutesText(values.sessionAbsoluteMinutes) || t('sessions.noLimit')}
              placeholder="10080"
              min={absoluteMinutes.min}
              max={absoluteMinutes.max}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              disabled={!editable}
              {...form.getInputProps('sessionAbsoluteMinutes')}
            />
          </SimpleGrid>
        </Panel>
        <Panel title={t('countries.title')} description={t('countries.hint')}>
          <MultiSelect
            label={t('countries.label')}
            placeholder={values.allowedCountries.length === 0 ? t('countries.placeholder') : ''}
            data={countryData(values.allowedCountries)}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('countries.clear') }}
            hidePickedOptions
            nothingFoundMessage={t('countries.notFound')}
            maxDropdownHeight={280}
            comboboxProps={{ withinPortal: false }}
            disabled={!editable}
            {...form.getInputProps('allowedCountries')}
          />
        </Panel>
        <Panel title={t('addresses.title')} description={t('addresses.about')}>
          <AllowlistEditor
            value={values.ipAllowlist}
            typed={values.typed}
            error={form.errors.ipAllowlist ?? entryFault(form.errors)}
            disabled={!editable}
            onChange={(ipAllowlist) => form.setFieldValue('ipAllowlist', ipAllowlist)}
            onTyped={(typed) => form.setFieldValue('typed', typed)}
          />
        </Panel>
        {unplaced !== undefined && (
          <ProblemAlert
            title={t('notSaved')}
            error={unplaced}
            message={explain(unplaced) ?? problemOf(unplaced).message}
          />
        )}
        {editable && (
          <SaveButtons
            label={t('save')}
            saving={preview.isPending || update.isPending}
            dirty={dirty}
            onDiscard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}

/** The countries by name, and those selected elsewhere that are in no list of ours. */
function countryData(chosen: readonly string[]): { value: string; label: string }[] {
  const named = countryOptions().filter(({ value }) => value !== '')
  const known = new Set(named.map(({ value }) => value))
  return [
    ...named,
    ...chosen
      .filter((code) => !known.has(code))
      .map((code) => ({ value: code, label: countryName(code) })),
  ]
}

/** Issues of single entries carry their position (`ipAllowlist.1`). */
function entryFault(errors: Readonly<Record<string, unknown>>): string | undefined {
  const path = Object.keys(errors).find((name) => name.startsWith('ipAllowlist.'))
  return path && String(errors[path])
}
