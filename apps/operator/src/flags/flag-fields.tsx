import { plans } from '@atrium/core/billing/plans'
import { flagState, flagStates } from '@atrium/core/flags/flags'
import { planName } from '@atrium/ui/subscription-status-meta'
import {
  Group,
  Input,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Slider,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useId } from 'react'
import type { FlagForm } from './flag-form.ts'
import { reachSentence, stateNames } from './labels.ts'
import { FlagKeysInput, PartnerSlugsInput, TenantSlugsInput } from './name-inputs.tsx'

interface Props {
  form: UseFormReturnType<FlagForm>
}

const stateChoices = flagStates.map((value) => ({ value, label: stateNames[value] }))
const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const marks = [0, 25, 50, 75, 100].map((value) => ({ value, label: `${value} %` }))

/** State and percentage; the slider goes by whole percents, the field beside it by hundredths. */
export function RolloutFields({ form }: Props) {
  const { state, percentage } = form.values
  const label = useId()
  const shown = typeof percentage === 'number' ? percentage : 0
  return (
    <Stack>
      <SegmentedControl
        aria-label="State"
        transitionDuration={0}
        data={stateChoices}
        value={state}
        onChange={(next) => form.setFieldValue('state', flagState.parse(next))}
        fullWidth
        maw={360}
      />
      {state === 'rollout' && (
        <Group gap="lg" align="flex-start">
          <Input.Wrapper
            label="Share of the tenants"
            labelProps={{ id: label }}
            labelElement="div"
            flex="1 1 240px"
            pb="lg"
          >
            <Slider
              mt={6}
              mx={12}
              aria-labelledby={label}
              thumbLabel="Share of the tenants in percent"
              label={(value) => `${value} %`}
              marks={marks}
              min={0}
              max={100}
              value={shown}
              onChange={(value) => form.setFieldValue('percentage', value)}
            />
          </Input.Wrapper>
          <NumberInput
            label="Percent"
            min={0}
            max={100}
            decimalScale={2}
            clampBehavior="strict"
            suffix=" %"
            w={120}
            {...form.getInputProps('percentage')}
          />
        </Group>
      )}
      <Text size="sm" c="dimmed">
        {reachSentence(state, shown)}
      </Text>
    </Stack>
  )
}

export function TargetingFields({ form }: Props) {
  return (
    <Stack>
      <TenantSlugsInput
        label="Allowed tenants"
        description="On for them while the flag is not off."
        {...form.getInputProps('allowTenants')}
      />
      <PartnerSlugsInput
        label="Allowed partners"
        description="On for all tenants of these partners."
        {...form.getInputProps('allowPartners')}
      />
      <MultiSelect
        label="Allowed plans"
        description="On for all tenants on these plans."
        data={planChoices()}
        {...form.getInputProps('allowPlans')}
      />
      <TenantSlugsInput
        label="Denied tenants"
        description="Off for them, also when a list above or the state says on."
        {...form.getInputProps('denyTenants')}
      />
    </Stack>
  )
}

export function ConditionFields({ form }: Props) {
  return (
    <Stack>
      <FlagKeysInput
        label="Must be on"
        description="Other flags that are on for the same tenant, or this one is off."
        {...form.getInputProps('needsOn')}
      />
      <FlagKeysInput
        label="Must be off"
        description="Other flags that are off for the same tenant, or this one is."
        {...form.getInputProps('needsOff')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Begins" type="datetime-local" {...form.getInputProps('enabledFrom')} />
        <TextInput label="Ends" type="datetime-local" {...form.getInputProps('enabledUntil')} />
      </SimpleGrid>
    </Stack>
  )
}

export function AboutFields({ form }: Props) {
  return (
    <Stack>
      <Textarea
        label="Description"
        description="What is different where it is on."
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Owner"
          placeholder="A person or a team"
          autoComplete="off"
          {...form.getInputProps('owner')}
        />
        <TextInput label="Expected to go by" type="date" {...form.getInputProps('staleAfter')} />
      </SimpleGrid>
    </Stack>
  )
}

/** Why; it stands in the history and in the audit log. */
export function NoteField({ form, required }: Props & { required: boolean }) {
  return (
    <TextInput
      label="Note"
      description={
        required
          ? 'Why. It is kept in the history.'
          : 'Why there is such a flag. Optional; it is kept in the history.'
      }
      withAsterisk={required}
      autoComplete="off"
      {...form.getInputProps('note')}
    />
  )
}
