import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './copy.module.css'
import { inSentence } from './format.ts'
import { translations } from './messages.ts'

const t = translations('ui.frame')

interface Props {
  opened: boolean
  onClose: () => void
  title: string
  /** What the secret is: "Temporary password". */
  label: string
  secret: string
  /** Where it goes and what happens to it. */
  children: React.ReactNode
}

/**
 * Shows a secret that cannot be shown again. Neither Escape nor a click outside closes it: the
 * person confirms with the button that the secret is stored.
 */
export function SecretReveal({ opened, onClose, title, label, secret, children }: Props) {
  const [copied, setCopied] = useState(false)
  const close = () => {
    setCopied(false)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size="lg"
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <div>
          <Text size="sm" fw={550} mb={4}>
            {label}
          </Text>
          <Code block className={classes.secret} aria-label={label}>
            {secret}
          </Code>
        </div>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {t('secret.once')}
        </Alert>
        <Group justify="space-between">
          <CopyButton value={secret}>
            {({ copied: fresh, copy }) => (
              <Button
                variant="default"
                leftSection={
                  fresh ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
                }
                onClick={() => {
                  copy()
                  setCopied(true)
                }}
              >
                {fresh ? t('copied') : t('copyValue', { label: inSentence(label) })}
              </Button>
            )}
          </CopyButton>
          <Button onClick={close} variant={copied ? 'filled' : 'light'}>
            {t('secret.close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
