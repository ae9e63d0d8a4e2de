import type { PreviewBranding } from '@atrium/core/branding/branding'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { problemOf } from '@atrium/ui/problem'
import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconPencilExclamation } from '@tabler/icons-react'
import { useState } from 'react'
import { MailFrame } from './mail-frame.tsx'
import classes from './preview.module.css'
import { usePreview } from './queries.ts'

interface Props {
  input: PreviewBranding
  /** What the message is called: names the frame. */
  title: string
}

/**
 * A message with sample data as its reader sees it. A draft that cannot be sent keeps the last one
 * that could.
 */
export function MailPreview({ input, title }: Props) {
  const query = usePreview(input)
  const [kind, setKind] = useState<'html' | 'text'>('html')
  const problem = query.error ? problemOf(query.error) : undefined
  const { data } = query
  const shown = data?.html == null ? 'text' : kind
  return (
    <Stack gap="sm">
      {data?.html != null && (
        <SegmentedControl
          aria-label="Kind of preview"
          // Its words would fade through colours that cannot be read when the colour scheme
          // changes.
          transitionDuration={0}
          data={[
            { value: 'html', label: 'Formatted' },
            { value: 'text', label: 'Plain text' },
          ]}
          value={kind}
          onChange={(value) => setKind(value === 'text' ? 'text' : 'html')}
        />
      )}
      {problem?.code === 'invalid_input' && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconPencilExclamation aria-hidden />}
          title="This draft cannot be shown"
          role="status"
        >
          {problem.issues[0]?.message ?? problem.message}
        </Alert>
      )}
      {problem && problem.code !== 'invalid_input' && (
        <ErrorState
          title="The preview could not be made."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && <LoadingRows label="Loading the preview" rows={4} />}
      {data && (
        <div
          className={classes.mail}
          data-stale={query.isPlaceholderData || query.isError || undefined}
        >
          <div className={classes.subject}>
            <Text size="sm" c="dimmed" span>
              Subject:{' '}
            </Text>
            <Text size="sm" fw={550} span>
              {data.subject}
            </Text>
          </div>
          {shown === 'html' && data.html !== null ? (
            <MailFrame title={`Preview of ${title}`} html={data.html} />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, and what scrolls is reached with the keyboard
            <section className={classes.text} tabIndex={0} aria-label={`Plain text of ${title}`}>
              {data.text}
            </section>
          )}
        </div>
      )}
      <Text size="sm" c="dimmed">
        With sample data. Pictures from other sites are not loaded here.
      </Text>
    </Stack>
  )
}
