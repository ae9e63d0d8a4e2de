import { ActionIcon, Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './copy.module.css'

interface ValueProps {
  /** What the value is: names the button ("Copy request id"). */
  label: string
  value: string
  /** Without it the label stands before the value. */
  hideLabel?: boolean
}

/** A value such as an id, with a button that copies it. */
export function CopyValue({ label, value, hideLabel = false }: ValueProps) {
  return (
    <span className={classes.value} data-bare={hideLabel || undefined}>
      {!hideLabel && <span className={classes.label}>{label}</span>}
      <Code className={classes.code}>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            title={copied ? 'Copied' : 'Copy'}
            aria-label={`Copy ${label.toLowerCase()}`}
          >
            {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  )
}

interface SecretProps {
  opened: boolean
  onClose: () => void
  title: string
  /** What the secret is: "Temporary password". */
  label: string
  secret: string
  /** Where it goes and what happens to it. */
  children: React.ReactNode
}

/** Shows a secret that cannot be shown again. Neither Escape nor a click beside it closes; the person says that it is kept. */
export function SecretReveal({ opened, onClose, title, label, secret, children }: SecretProps) {
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
          This is shown once. When you close this window it cannot be shown again.
        </Alert>
        <Group justify="space-between">
          <CopyButton value={secret}>
            {({ copied: fresh, copy }) => (
              <Button
                variant="default"
                leftSection={fresh ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={() => {
                  copy()
                  setCopied(true)
                }}
              >
                {fresh ? 'Copied' : `Copy ${label.toLowerCase()}`}
              </Button>
            )}
          </CopyButton>
          <Button onClick={close} variant={copied ? 'filled' : 'light'}>
            I have kept it, close
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
