import { ActionIcon, Code, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './copy.module.css'
import { inSentence } from './format.ts'
import { translations } from './messages.ts'

const t = translations('ui.frame')

interface ValueProps {
  /** What the value is: names the button ("Copy request id"). */
  label: string
  value: string
  /** Without it, the label precedes the value. */
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
            title={t(copied ? 'copied' : 'copy')}
            aria-label={t('copyValue', { label: inSentence(label) })}
          >
            {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  )
}
