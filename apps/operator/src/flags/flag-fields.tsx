import { plans } from '@atrium/core/billing/plans'
import { flagState, flagStates } from '@atrium/core/flags/flags'
import { formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
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
import { reachSentence, stateName } from './labels.ts'
import { FlagKeysInput, PartnerSlugsInput, TenantSlugsInput } from './name-inputs.tsx'

const t = translations('operator.flags')

interface Props {
  form: UseFormReturnType<FlagForm>
}

const stateChoices = () => flagStates.map((value) => ({ value, label: stateName(value) }))
const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const marks = [0, 25, 50, 75, 100].map((value) => ({ value, label: formatPercent(value) }))

/** State and percentage. The slider moves in whole percents, the field beside it in hundredths. */
export function RolloutFields({ form }: Props) {
  const { state, percentage } = form.values
  const label = useId()
  const shown = typeof percentage === 'number' ? percentage : 0
  return (
    <Stack>
      <SegmentedControl
        aria-label={t('fields.state')}
        transitionDuration={0}
        data={stateChoices()}
        value={state}
        onChange={(next) => form.setFieldValue('state', flagState.parse(next))}
        fullWidth
        maw={360}
      />
      {state === 'rollout' && (
        <Group gap="lg" align="flex-start">
          <Input.Wrapper
            label={t('form.share')}
            labelProps={{ id: label }}
            labelElement="div"
            flex="1 1 240px"
            pb="lg"
          >
            <Slider
              mt={6}
              mx={12}
              aria-labelledby={label}
              thumbLabel={t('form.shareInPercent')}
              label={formatPercent}
              marks={marks}
              min={0}
              max={100}
              value={shown}
              onChange={(value) => form.setFieldValue('percentage', value)}
            />
          </Input.Wrapper>
          <NumberInput
            label={t('form.percent')}
            min={0}
            max={100}
            decimalScale={2}
            clampBehavior="strict"
            suffix={t('form.percentSuffix')}
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
        label={t('fields.allowTenants')}
        description={t('form.allowTenantsHint')}
        {...form.getInputProps('allowTenants')}
      />
      <PartnerSlugsInput
        label={t('fields.allowPartners')}
        description={t('form.allowPartnersHint')}
        {...form.getInputProps('allowPartners')}
      />
      <MultiSelect
        label={t('fields.allowPlans')}
        description={t('form.allowPlansHint')}
        data={planChoices()}
        {...form.getInputProps('allowPlans')}
      />
      <TenantSlugsInput
        label={t('fields.denyTenants')}
        description={t('form.denyTenantsHint')}
        {...form.getInputProps('denyTenants')}
      />
    </Stack>
  )
}

export function ConditionFields({ form }: Props) {
  return (
    <Stack>
      <FlagKeysInput
        label={t('form.needsOn')}
        description={t('form.needsOnHint')}
        {...form.getInputProps('needsOn')}
      />
      <FlagKeysInput
        label={t('form.needsOff')}
        description={t('form.needsOffHint')}
        {...form.getInputProps('needsOff')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('fields.enabledFrom')}
          type="datetime-local"
          {...form.getInputProps('enabledFrom')}
        />
        <TextInput
          label={t('fields.enabledUntil')}
          type="datetime-local"
          {...form.getInputProps('enabledUntil')}
        />
      </SimpleGrid>
    </Stack>
  )
}

export function AboutFields({ form }: Props) {
  return (
    <Stack>
      <Textarea
        label={t('fields.description')}
        description={t('form.descriptionHint')}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('fields.owner')}
          placeholder={t('form.ownerPlaceholder')}
          autoComplete="off"
          {...form.getInputProps('owner')}
        />
        <TextInput
          label={t('fields.staleAfter')}
          type="date"
          {...form.getInputProps('staleAfter')}
        />
      </SimpleGrid>
    </Stack>
  )
}

/** The reason for the change. It is kept in the history and the audit log. */
export function NoteField({ form, required }: Props & { required: boolean }) {
  return (
    <TextInput
      label={t('form.note')}
      description={t(required ? 'form.noteHint' : 'form.noteHintOptional')}
      withAsterisk={required}
      autoComplete="off"
      {...form.getInputProps('note')}
    />
  )
}
