import { translations } from '@atrium/ui/messages'
import { ActionIcon, Alert, Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconPlus, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { addEntries, type ReadEntries } from './allowlist.ts'
import classes from './allowlist-editor.module.css'

const t = translations('portal.security-policy')

interface Props {
  value: readonly string[]
  /** Text in the field that has not been added yet; the form includes it when saved. */
  typed: string
  error?: ReactNode
  disabled: boolean
  onChange: (value: string[]) => void
  onTyped: (typed: string) => void
}

/**
 * Addresses and networks in canonical form; what cannot be read says why and stays in the field.
 */
export function AllowlistEditor({ value, typed, error, disabled, onChange, onTyped }: Props) {
  const [last, setLast] = useState<ReadEntries>()

  function take() {
    const read = addEntries(value, typed)
    setLast(read)
    onTyped(read.rejected.map(({ text }) => text).join('\n'))
    onChange(read.entries)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || typed.includes('\n')) return
    event.preventDefault()
    if (typed.trim() !== '') take()
  }

  return (
    <Stack gap="sm">
      <Textarea
        label={t('addresses.label')}
        description={t('addresses.hint')}
        placeholder="203.0.113.0/24"
        autosize
        minRows={1}
        maxRows={8}
        autoCapitalize="none"
        spellCheck={false}
        disabled={disabled}
        data-path="ipAllowlist"
        value={typed}
        error={error}
        onChange={(event) => onTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {!disabled && (
        <Group>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={typed.trim() === ''}
            onClick={take}
          >
            {t('addresses.add')}
          </Button>
        </Group>
      )}
      {last && last.rejected.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('addresses.refused')}
          role="alert"
        >
          <List size="sm" spacing={4}>
            {last.rejected.map(({ text, reason }) => (
              <List.Item key={text}>
                {t.rich('addresses.reason', {
                  text,
                  reason,
                  strong: (chunks) => <strong>{chunks}</strong>,
                })}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {last && last.notes.length > 0 && (
        <Text size="sm" c="dimmed" role="status">
          {last.notes.join(' ')}
        </Text>
      )}
      {value.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('addresses.none')}
        </Text>
      ) : (
        <ul className={classes.list} aria-label={t('addresses.list')}>
          {value.map((entry) => (
            <li key={entry} className={classes.entry}>
              <code>{entry}</code>
              {!disabled && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('addresses.remove', { entry })}
                  onClick={() => onChange(value.filter((one) => one !== entry))}
                >
                  <IconX size={17} aria-hidden />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}
