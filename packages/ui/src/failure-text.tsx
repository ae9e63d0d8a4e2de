import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './failure-text.module.css'
import { translations } from './messages.ts'

const t = translations('ui.frame')

/** Technical details that most readers do not need, collapsed by default. */
export function Details({ children }: { children: ReactNode }) {
  return (
    <details className={classes.details}>
      <summary>{t('details')}</summary>
      {children}
    </details>
  )
}

/** A stored failure: its sentence, with the technical detail behind "Details". */
export function FailureText({ text }: { text: string }) {
  const { sentence, detail } = splitUpstreamMessage(text)
  return (
    <>
      {sentence}
      {detail !== null && (
        <Details>
          <Text size="xs">{detail}</Text>
        </Details>
      )}
    </>
  )
}
