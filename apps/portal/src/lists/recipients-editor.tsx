import { mostRecipients } from '@atrium/core/mail/lists'
import { translations } from '@atrium/ui/messages'
import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  List,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconAlertTriangle, IconPlus, IconSearch, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { outside, type ReadRecipients, readRecipients } from './recipients.ts'
import classes from './recipients-editor.module.css'

const t = translations('portal.lists')

interface Props {
  value: readonly string[]
  /** Text in the field that has not been added yet; the form includes it when submitted. */
  typed: string
  /** Domains of the workplace: other recipients are marked as outside. */
  domains: readonly string[]
  /** Sentences of a rejection, by address. */
  faults: ReadonlyMap<string, string>
  error?: ReactNode
  onChange: (value: string[]) => void
  onTyped: (typed: string) => void
}

const filterFrom = 12

/** Who a list sends to: many can be pasted at once, and every one can be taken out. */
export function RecipientsEditor({
  value,
  typed,
  domains,
  faults,
  error,
  onChange,
  onTyped,
}: Props) {
  const [rest, setRest] = useState<ReadRecipients['unreadable']>([])
  const [added, setAdded] = useState('')

  function take() {
    const { addresses, unreadable } = readRecipients(typed)
    const fresh = addresses.filter((address) => !value.includes(address))
    const known = addresses.length - fresh.length
    setRest(unreadable)
    // Unreadable text stays in the field, to be corrected there.
    onTyped(unreadable.map(({ text }) => text).join('\n'))
    if (fresh.length > 0) onChange([...value, ...fresh])
    setAdded(addedText(fresh.length, known))
  }

  function onKeyDown(event: KeyboardEvent) {
    // Enter adds a single address; in a longer text it stays a line break.
    if (event.key === 'Enter' && !event.shiftKey && !typed.includes('\n')) {
      event.preventDefault()
      if (typed.trim() !== '') take()
    }
  }

  return (
    <Stack gap="sm">
      <Textarea
        label={t('recipients.add.label')}
        description={t('recipients.add.hint')}
        placeholder={t('recipients.add.placeholder')}
        autosize
        minRows={2}
        maxRows={10}
        autoCapitalize="none"
        spellCheck={false}
        data-path="recipients"
        value={typed}
        error={error}
        onChange={(event) => onTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group gap="sm">
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={typed.trim() === ''}
          onClick={take}
        >
          {t('recipients.add.submit')}
        </Button>
        <Text size="sm" c="dimmed" role="status" aria-live="polite">
          {added}
        </Text>
      </Group>
      {rest.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('recipients.notAdded.title')}
          role="alert"
        >
          <List size="sm" spacing={4}>
            {rest.slice(0, 20).map(({ text, reason }) => (
              <List.Item key={text}>
                <strong>{text}</strong>: {reason}
              </List.Item>
            ))}
          </List>
          {rest.length > 20 && (
            <Text size="sm">{t('recipients.notAdded.more', { count: rest.length - 20 })}</Text>
          )}
        </Alert>
      )}
      <Chosen value={value} domains={domains} faults={faults} onChange={onChange} />
    </Stack>
  )
}

function addedText(added: number, known: number): string {
  if (known === 0) return added === 0 ? '' : t('recipients.add.done', { added })
  return added === 0
    ? t('recipients.add.known', { known })
    : t('recipients.add.doneKnown', { added, known })
}

function Chosen({ value, domains, faults, onChange }: Omit<Props, 'error' | 'typed' | 'onTyped'>) {
  const [words, setWords] = useState('')
  const foreign = new Set(outside(value, domains))
  const shown = value.filter((address) => address.includes(words.trim().toLowerCase()))
  // The rejected ones first: they are what has to be looked at.
  const ordered = [
    ...shown.filter((address) => faults.has(address)),
    ...shown.filter((address) => !faults.has(address)),
  ]
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550}>
        {foreign.size === 0
          ? t('recipients.count', { count: value.length })
          : t.rich('recipients.countOutside', {
              count: value.length,
              outside: foreign.size,
              dimmed: (chunks) => (
                <Text span size="sm" c="dimmed">
                  {chunks}
                </Text>
              ),
            })}
      </Text>
      {value.length > mostRecipients && (
        <Text size="sm" c="red">
          {t('recipients.most', { count: mostRecipients })}
        </Text>
      )}
      {value.length >= filterFrom && (
        <TextInput
          aria-label={t('recipients.find')}
          placeholder={t('recipients.find')}
          type="search"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      {ordered.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll long lists
        <section className={classes.frame} aria-label={t('recipients.title')} tabIndex={0}>
          <ul className={classes.list}>
            {ordered.map((address) => (
              <li
                key={address}
                className={classes.recipient}
                data-rejected={faults.has(address) || undefined}
              >
                <div className={classes.address}>
                  {address}
                  {faults.has(address) && (
                    <Text size="sm" c="var(--mantine-color-error)" role="alert">
                      {faults.get(address)}
                    </Text>
                  )}
                </div>
                {foreign.has(address) && (
                  <Badge variant="light" color="gray" c="inherit">
                    {t('recipients.outside')}
                  </Badge>
                )}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('recipients.takeOut', { address })}
                  onClick={() => onChange(value.filter((one) => one !== address))}
                >
                  <IconX size={17} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        </section>
      )}
      {value.length > 0 && ordered.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('recipients.noMatch')}
        </Text>
      )}
    </Stack>
  )
}
