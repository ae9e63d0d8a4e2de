import { translations } from '@atrium/ui/messages'
import {
  ActionIcon,
  Button,
  Card,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { freeKey, type QuestionValues } from './event-type-form.ts'

const t = translations('portal.scheduling-event-types')

interface Props {
  questions: readonly QuestionValues[]
  errors: Readonly<Record<string, ReactNode>>
  disabled: boolean
  onChange: (questions: QuestionValues[]) => void
}

const kinds: readonly QuestionValues['kind'][] = [
  'text',
  'long_text',
  'choice',
  'phone',
  'checkbox',
]
const most = 20

/** What visitors are asked besides name and e-mail address, in this order. */
export function QuestionsEditor({ questions, errors, disabled, onChange }: Props) {
  const change = (index: number, part: Partial<QuestionValues>) =>
    onChange(questions.map((one, at) => (at === index ? { ...one, ...part } : one)))
  function move(index: number, by: number) {
    const moved = [...questions]
    moved.splice(index + by, 0, ...moved.splice(index, 1))
    onChange(moved)
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('questions.hint')}
      </Text>
      {questions.map((question, index) => {
        const name = question.label.trim() || t('questions.unnamed', { position: index + 1 })
        return (
          <Card
            key={question.key}
            padding="sm"
            component="fieldset"
            aria-label={t('questions.nth', { position: index + 1 })}
          >
            <Stack gap="xs">
              <Group gap="xs" align="flex-end">
                <TextInput
                  label={t('questions.question')}
                  flex="1 1 220px"
                  required
                  maxLength={200}
                  disabled={disabled}
                  value={question.label}
                  error={errors[`fields.${index}.label`]}
                  data-path={`fields.${index}.label`}
                  onChange={(event) => change(index, { label: event.currentTarget.value })}
                />
                <NativeSelect
                  label={t('questions.answer')}
                  flex="0 1 200px"
                  data={kinds.map((kind) => ({ value: kind, label: t(`questions.kinds.${kind}`) }))}
                  disabled={disabled}
                  value={question.kind}
                  onChange={(event) =>
                    change(index, { kind: event.currentTarget.value as QuestionValues['kind'] })
                  }
                />
              </Group>
              {question.kind === 'choice' && (
                <Textarea
                  label={t('questions.choices')}
                  description={t('questions.choicesHint')}
                  autosize
                  minRows={2}
                  maxRows={10}
                  required
                  disabled={disabled}
                  value={question.options}
                  error={errors[`fields.${index}.options`]}
                  data-path={`fields.${index}.options`}
                  onChange={(event) => change(index, { options: event.currentTarget.value })}
                />
              )}
              <Group justify="space-between" gap="xs">
                <Checkbox
                  label={t('questions.required')}
                  checked={question.required}
                  disabled={disabled}
                  onChange={(event) => change(index, { required: event.currentTarget.checked })}
                />
                {!disabled && (
                  <Group gap={4}>
                    <IconButton
                      label={t('questions.up', { question: name })}
                      disabled={index === 0}
                      onClick={() => move(index, -1)}
                    >
                      <IconArrowUp size={17} aria-hidden />
                    </IconButton>
                    <IconButton
                      label={t('questions.down', { question: name })}
                      disabled={index === questions.length - 1}
                      onClick={() => move(index, 1)}
                    >
                      <IconArrowDown size={17} aria-hidden />
                    </IconButton>
                    <IconButton
                      label={t('questions.remove', { question: name })}
                      onClick={() => onChange(questions.filter((_, at) => at !== index))}
                    >
                      <IconX size={17} aria-hidden />
                    </IconButton>
                  </Group>
                )}
              </Group>
            </Stack>
          </Card>
        )
      })}
      {errors.fields !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {errors.fields}
        </Text>
      )}
      {!disabled && questions.length < most && (
        <Group>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlus size={16} aria-hidden />}
            data-path="fields"
            onClick={() =>
              onChange([
                ...questions,
                { key: freeKey(questions), label: '', kind: 'text', required: false, options: '' },
              ])
            }
          >
            {t('questions.add')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function IconButton({
  label,
  disabled = false,
  onClick,
  children,
}: {
  label: string
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  )
}
