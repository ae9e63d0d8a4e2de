import type { PreviewBranding } from '@atrium/core/branding/branding'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconPencilExclamation } from '@tabler/icons-react'
import { useState } from 'react'
import { MailFrame } from './mail-frame.tsx'
import classes from './preview.module.css'
import { usePreview } from './queries.ts'

const t = translations('portal.branding')

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
  const textLabel = t('preview.textOf', { message: title })
  return (
    <Stack gap="sm">
      {data?.html != null && (
        <SegmentedControl
          aria-label={t('preview.kind')}
          // Its words would fade through colours that cannot be read when the colour scheme
          // changes.
          transitionDuration={0}
          data={[
            { value: 'html', label: t('preview.html') },
            { value: 'text', label: t('preview.text') },
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
          title={t('preview.invalid')}
          role="status"
        >
          {problem.issues[0]?.message ?? problem.message}
        </Alert>
      )}
      {problem && problem.code !== 'invalid_input' && (
        <ErrorState
          title={t('preview.failed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && <LoadingRows label={t('preview.loading')} rows={4} />}
      {data && (
        <div
          className={classes.mail}
          data-stale={query.isPlaceholderData || query.isError || undefined}
        >
          <div className={classes.subject}>
            <Text size="sm" c="dimmed" span>
              {t.rich('preview.subject', {
                subject: data.subject,
                value: (chunks) => (
                  <Text size="sm" fw={550} c="var(--mantine-color-text)" span>
                    {chunks}
                  </Text>
                ),
              })}
            </Text>
          </div>
          {shown === 'html' && data.html !== null ? (
            <MailFrame title={t('preview.of', { message: title })} html={data.html} />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll long texts
            <section className={classes.text} tabIndex={0} aria-label={textLabel}>
              {data.text}
            </section>
          )}
        </div>
      )}
      <Text size="sm" c="dimmed">
        {t('preview.sampleData')}
      </Text>
    </Stack>
  )
}
