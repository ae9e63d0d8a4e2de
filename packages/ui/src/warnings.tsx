import { Alert, List } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

interface Props {
  title: string
  /** Sentences, shown unchanged; renders nothing without any. */
  messages: readonly string[]
}

/** What was done and still deserves a thought. */
export function Warnings({ title, messages }: Props) {
  if (messages.length === 0) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      role="status"
    >
      {messages.length === 1 ? (
        messages[0]
      ) : (
        <List size="sm" spacing={4}>
          {messages.map((message) => (
            <List.Item key={message}>{message}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}
