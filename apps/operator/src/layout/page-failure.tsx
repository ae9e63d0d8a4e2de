import { ErrorState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'

const t = translations('operator.layout')

/** Replaces a page that could not be opened: the failure and a button to try again. */
export function PageFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  const router = useRouter()
  const [retrying, setRetrying] = useState(false)
  return (
    <>
      <PageHeader title={t('failure.title')} />
      <ErrorState
        title={t('failure.cause')}
        error={error}
        retrying={retrying}
        onRetry={() => {
          setRetrying(true)
          void router.invalidate().finally(() => setRetrying(false))
        }}
      />
    </>
  )
}
