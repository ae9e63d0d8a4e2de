import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Button, Code, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { MailTextView } from './mail-text-form.ts'
import classes from './preview.module.css'

const t = translations('portal.branding')

interface Props {
  variables: MailTextView['variables']
  /** Inserts a variable into the field that was used last. */
  onInsert?: (name: string) => void
}

const example = "{% if booking.location != '' %} … {% endif %}"

/** The variables of a message, with their meaning. */
export function VariablesPanel({ variables, onInsert }: Props) {
  return (
    <Panel title={t('variables.title')} description={t('variables.hint', { example })}>
      <ul className={classes.variables}>
        {variables.map(({ name, description, sample }) => (
          <li key={name} className={classes.variable}>
            <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
              <Code>{`{{ ${name} }}`}</Code>
              {onInsert && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  leftSection={<IconPlus size={14} aria-hidden />}
                  aria-label={t('variables.insertNamed', { name })}
                  onClick={() => onInsert(name)}
                >
                  {t('variables.insert')}
                </Button>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {t('variables.about', {
                description,
                sample: typeof sample === 'string' ? sample : sample.join(', '),
              })}
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
