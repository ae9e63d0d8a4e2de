import { ErrorState } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'

/** What stands in place of a page that failed to open: the failure and a second try. */
export function PageFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  const router = useRouter()
  const [retrying, setRetrying] = useState(false)
  return (
    <>
      <PageHeader title="This page did not open" />
      <ErrorState
        title="Something went wrong."
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
