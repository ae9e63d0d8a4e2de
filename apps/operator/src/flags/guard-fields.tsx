import { guardSignal, guardSignals, mostGuards } from '@atrium/core/flags/flag-guards'
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
import { signalNames } from './labels.ts'

interface Props {
  form: UseFormReturnType<FlagForm>
}

const signalChoices = guardSignals.map((value) => ({ value, label: signalNames[value] }))

/** The guard rules of a flag, each with what it watches and when it is broken. */
export function GuardFields({ form }: Props) {
  const { guards } = form.values
  const failure = form.errors.guards
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        While the flag rolls out, a rule compares tenants that have it with those that have not.
        More failures than the limit, and more than without the flag: it is off for everybody within
        two minutes.
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
          Add a guard rule
        </Button>
      )}
    </Stack>
  )
}

function GuardRule({ form, index }: Props & { index: number }) {
  const path = (field: string) => `guards.${index}.${field}`
  const signal = form.getInputProps(path('signal'))
  return (
    <Fieldset legend={`Rule ${index + 1}`}>
      <Stack gap="sm">
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <Select
            label="Signal"
            flex={1}
            data={signalChoices}
            allowDeselect={false}
            withScrollArea={false}
            {...signal}
            onChange={(value) => form.setFieldValue(path('signal'), guardSignal.parse(value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="input-sm"
            aria-label={`Remove rule ${index + 1}`}
            onClick={() => form.removeListItem('guards', index)}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberInput
            label="More than"
            hideControls
            min={0}
            max={99.99}
            decimalScale={2}
            suffix=" %"
            {...form.getInputProps(path('threshold'))}
          />
          <NumberInput
            label="Within"
            hideControls
            min={1}
            allowDecimal={false}
            suffix=" min"
            {...form.getInputProps(path('windowMinutes'))}
          />
          <NumberInput
            label="From"
            hideControls
            min={1}
            allowDecimal={false}
            thousandSeparator=","
            suffix=" events"
            {...form.getInputProps(path('minimum'))}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  )
}
