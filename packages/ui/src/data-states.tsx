import { Alert, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertCircle, IconInfoCircle, IconRefresh } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CopyValue } from './copy.tsx'
import { Details } from './failure-text.tsx'
import { translations } from './messages.ts'
import { problemOf } from './problem.ts'

const t = translations('ui.frame')

interface LoadingProps {
  /** What is being fetched, for screen readers: "Loading members". */
  label: string
  rows?: number
}

/** Placeholder of a list while it loads. */
export function LoadingRows({ label, rows = 5 }: LoadingProps) {
  return (
    <Stack gap="sm" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={44} radius="md" aria-hidden />
      ))}
    </Stack>
  )
}

interface EmptyProps {
  icon?: ReactNode
  title: string
  /** What to do next. */
  children: ReactNode
  action?: ReactNode
}

/** The empty state of a list, with what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyProps) {
  return (
    <Paper p="xl" ta="center" bg="var(--atrium-surface)">
      <Stack gap="xs" align="center" maw={440} mx="auto" py="md">
        {icon}
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text c="dimmed">{children}</Text>
        {action && <Group mt="xs">{action}</Group>}
      </Stack>
    </Paper>
  )
}

interface NoRowsProps {
  icon: ReactNode
  /** Whether filters hide the rows; without filters there are none. */
  filtered: boolean
  noMatch: { title: string; hint: string }
  none: { title: string; hint: string; action?: ReactNode }
  onClear: () => void
}

/** The empty state of a list with filters. */
export function NoRows({ icon, filtered, noMatch, none, onClear }: NoRowsProps) {
  if (!filtered)
    return (
      <EmptyState icon={icon} title={none.title} action={none.action}>
        {none.hint}
      </EmptyState>
    )
  return (
    <EmptyState
      icon={icon}
      title={noMatch.title}
      action={
        <Button variant="default" onClick={onClear}>
          {t('clearFilters')}
        </Button>
      }
    >
      {noMatch.hint}
    </EmptyState>
  )
}

interface ErrorProps {
  error: unknown
  /** Leads the sentence: "The members could not be loaded." */
  title: string
  onRetry?: (() => void) | undefined
  retrying?: boolean
}

/** A failed load: the server's sentence, the request id to quote, and a way to try again. */
export function ErrorState({ error, title, onRetry, retrying = false }: ErrorProps) {
  return (
    <ProblemAlert error={error} title={title}>
      {onRetry && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={onRetry}
          loading={retrying}
        >
          {t('tryAgain')}
        </Button>
      )}
    </ProblemAlert>
  )
}

interface QueryStateProps {
  query: Pick<UseQueryResult<unknown, unknown>, 'isPending' | 'error' | 'isFetching' | 'refetch'>
  /** For screen readers: "Loading members". */
  loading: string
  /** Title of a failure: "The members could not be loaded." */
  failed: string
  /** Lines of the placeholder. */
  rows?: number
}

/** What a list shows instead of its data: a placeholder while it loads, then a failure. */
export function QueryState({ query, loading, failed, rows }: QueryStateProps) {
  if (query.isPending) return <LoadingRows label={loading} {...(rows && { rows })} />
  if (!query.error) return null
  return (
    <ErrorState
      title={failed}
      error={query.error}
      onRetry={() => void query.refetch()}
      retrying={query.isFetching}
    />
  )
}

interface ProblemProps {
  error: unknown
  title?: string
  /** A friendlier sentence for a code that the page knows; without it the server's own is shown. */
  message?: string | undefined
  children?: ReactNode
}

/** A failure in place, beside the form or button that caused it. */
export function ProblemAlert({ error, title, message, children }: ProblemProps) {
  const problem = problemOf(error)
  // The user dismissed the sign-in dialog and knows why; nothing is wrong and there is nothing to
  // quote.
  if (problem.code === 'recent_sign_in_required') {
    return (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconInfoCircle aria-hidden />}
        title={title}
        role="alert"
      >
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{t('problem.notSignedInAgain', { message: problem.message })}</Text>
          {children}
        </Stack>
      </Alert>
    )
  }
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertCircle aria-hidden />}
      title={title}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{message ?? problem.message}</Text>
        {(problem.detail || problem.requestId) && (
          <Details>
            {problem.detail && <Text size="xs">{problem.detail}</Text>}
            {problem.requestId && <CopyValue label={t('requestId')} value={problem.requestId} />}
          </Details>
        )}
        {children}
      </Stack>
    </Alert>
  )
}
