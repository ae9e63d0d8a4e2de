import type { Warning } from '@atrium/core/platform/warnings'
import type { MfaMode, SecurityPolicyView } from '@atrium/core/security-policy/security-policy'
import { absoluteMinutes, idleMinutes } from '@atrium/core/security-policy/security-policy'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { zodForm } from '@atrium/ui/zod-form'
import { MultiSelect, NumberInput, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { countryName, countryOptions } from '../tenants/countries.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { addEntries } from './allowlist.ts'
import { AllowlistEditor } from './allowlist-editor.tsx'
import { useUpdateSecurityPolicy } from './mutations.ts'
import {
  changesOf,
  fromPolicy,
  minutesText,
  PolicyForm,
  type PolicyFormValues,
} from './policy-form.ts'

const modes: readonly { mode: MfaMode; label: string; text: string }[] = [
  { mode: 'off', label: 'Off', text: 'A password is enough, and nobody is asked for more.' },
  {
    mode: 'optional',
    label: 'Optional',
    text: 'Everybody may protect their account with a second factor, such as an app or a key.',
  },
  {
    mode: 'required',
    label: 'Required',
    text: 'Not available yet: sign-in does not ask people for a second factor, so nobody would be held to it.',
  },
]
/**
 * Cannot be chosen while sign-in does not enforce it. A policy that has it already keeps it until
 * another one is chosen.
 */
const unavailable: MfaMode = 'required'

interface Props {
  policy: SecurityPolicyView
  editable: boolean
  onSaved: (warnings: Warning[]) => void
}

const check = zodForm(PolicyForm)

/** The rules as one form, in panels. */
export function PolicyPanels({ policy, editable, onSaved }: Props) {
  const { slug } = useTenant()
  const update = useUpdateSecurityPolicy(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<PolicyFormValues & { typed: string }>({
    initialValues: { ...fromPolicy(policy), typed: '' },
    validate: ({ typed, ...values }) => {
      const [refused] = addEntries([], typed).refused
      return {
        ...check(values),
        ...(refused ? { ipAllowlist: `${refused.text}: ${refused.reason}` } : {}),
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
    update.mutate(changes, {
      onSuccess: ({ securityPolicy, warnings }) => {
        form.setInitialValues({ ...fromPolicy(securityPolicy), typed: '' })
        form.setValues({ ...fromPolicy(securityPolicy), typed: '' })
        onSaved(warnings)
        done('The security policy is saved. Sign-in does not apply it yet.')
      },
      onError: (error) => {
        const placed = showRejection(form, error)
        if (!placed) setUnplaced(error)
      },
    })
  }

  const dirty = form.isDirty()
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack gap="lg">
        <Panel title="Second factor">
          <Radio.Group aria-label="Second factor" {...form.getInputProps('mfaMode')}>
            <Stack gap="sm">
              {modes.map(({ mode, label, text }) => (
                <Radio
                  key={mode}
                  value={mode}
                  label={label}
                  description={text}
                  disabled={!editable || mode === unavailable}
                />
              ))}
            </Stack>
          </Radio.Group>
        </Panel>
        <Panel
          title="Sessions"
          description="After how many minutes people sign in again. Leave a field empty for no limit of your own."
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput
              label="Without activity, in minutes"
              description={minutesText(values.sessionIdleMinutes) || 'No limit'}
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
              label="In all, in minutes"
              description={minutesText(values.sessionAbsoluteMinutes) || 'No limit'}
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
        <Panel
          title="Countries"
          description="From where people may sign in, by the address they come from. None chosen means everywhere."
        >
          <MultiSelect
            label="Allowed countries"
            placeholder={values.allowedCountries.length === 0 ? 'Every country' : ''}
            data={countryData(values.allowedCountries)}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Allow every country' }}
            hidePickedOptions
            nothingFoundMessage="No country has this name."
            maxDropdownHeight={280}
            comboboxProps={{ withinPortal: false }}
            disabled={!editable}
            {...form.getInputProps('allowedCountries')}
          />
        </Panel>
        <Panel
          title="Addresses"
          description="From which networks people may sign in, such as that of your office."
        >
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
            title="The security policy was not saved."
            error={unplaced}
            message={explain(unplaced) ?? problemOf(unplaced).message}
          />
        )}
        {editable && (
          <SaveButtons
            label="Save policy"
            saving={update.isPending}
            dirty={dirty}
            onDiscard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}

/** The countries by name, and those that were chosen elsewhere and stand in no list of ours. */
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
