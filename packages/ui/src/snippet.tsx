import { Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { inSentence } from './format.ts'
import { translations } from './messages.ts'
import classes from './snippet.module.css'

const t = translations('ui.frame')

interface Props {
  /** What the text is: names the region and its buttons ("Copy zone snippet"). */
  label: string
  text: string
  /** With it the text can also be kept as a file of this name. */
  fileName?: string
}

/** Several lines to paste elsewhere, with a button that copies all of them. */
export function Snippet({ label, text, fileName }: Props) {
  return (
    <Stack gap="xs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and what scrolls is reached with the keyboard */}
      <section className={classes.frame} aria-label={label} tabIndex={0}>
        <Code block className={classes.code}>
          {text}
        </Code>
      </section>
      <Group gap="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={
                copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
              }
              onClick={copy}
            >
              {copied ? t('copied') : t('copyValue', { label: inSentence(label) })}
            </Button>
          )}
        </CopyButton>
        {fileName && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => download(fileName, text)}
          >
            {t('download', { file: fileName })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function download(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
