import { guardSignal, guardSignals, mostGuards } from '@atrium/core/flags/flag-guards'
import { translations } from '@atrium/ui/messages'
import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  Input,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type FlagForm, newGuard } from './flag-form.ts'

const t = translations('operator.flags')

interface Props {
  form: UseFormReturnType<FlagForm>
}

const signalChoices = () =>
  guardSignals.map((value) => ({ value, label: t(`guards.signals.${value}`) }))

/** The guard rules of a flag: what each watches, and its limit. */
export function GuardFields({ form }: Props) {
  const { guards } = form.values
  const failure = form.errors.guards
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('guards.form.hint')}
      </Text>
      {guards.map((guard, index) => (
        <GuardRule key={guard.id} form={form} index={index} />
      ))}
      {typeof failure === 'string' && <Input.Error>{failure}</Input.Error>}
      {guards.length < mostGuards && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => form.insertListItem('guards', newGuard(guards))}
        >
          {t('guards.form.add')}
        </Button>
      )}
    </Stack>
  )
}

function GuardRule({ form, index }: Props & { index: number }) {
  const path = (field: string) => `guards.${index}.${field}`
  const signal = form.getInputProps(path('signal'))
  return (
    <Fieldset legend={t('guards.form.legend', { number: index + 1 })}>
      <Stack gap="sm">
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <Select
            label={t('guards.form.signal')}
            flex={1}
            data={signalChoices()}
            allowDeselect={false}
            withScrollArea={false}
            {...signal}
            onChange={(value) => form.setFieldValue(path('signal'), guardSignal.parse(value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="input-sm"
            aria-label={t('guards.form.remove', { number: index + 1 })}
            onClick={() => form.removeListItem('guards', index)}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberInput
            label={t('guards.form.threshold')}
            hideControls
            min={0}
            max={99.99}
            decimalScale={2}
            suffix={t('form.percentSuffix')}
            {...form.getInputProps(path('threshold'))}
          />
          <NumberInput
            label={t('guards.form.window')}
            hideControls
            min={1}
            allowDecimal={false}
            suffix={t('guards.form.minutesSuffix')}
            {...form.getInputProps(path('windowMinutes'))}
          />
          <NumberInput
            label={t('guards.form.minimum')}
            hideControls
            min={1}
            allowDecimal={false}
            thousandSeparator=" "
            suffix={t('guards.form.eventsSuffix')}
            {...form.getInputProps(path('minimum'))}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  )
}
