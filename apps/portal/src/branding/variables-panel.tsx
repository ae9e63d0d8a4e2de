import { Panel } from '@atrium/ui/panel'
import { Button, Code, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { MailTextView } from './mail-text-form.ts'
import classes from './preview.module.css'

interface Props {
  variables: MailTextView['variables']
  /** Puts a variable into the field that was used last. */
  onInsert?: (name: string) => void
}

/** What a message may use, with what it stands for. */
export function VariablesPanel({ variables, onInsert }: Props) {
  return (
    <Panel
      title="Variables"
      description="Replaced in every mail. Conditions and loops work as in Liquid: {% if booking.location != '' %} … {% endif %}."
    >
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
                  aria-label={`Insert ${name}`}
                  onClick={() => onInsert(name)}
                >
                  Insert
                </Button>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {description}. Sample: “{typeof sample === 'string' ? sample : sample.join(', ')}”
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
