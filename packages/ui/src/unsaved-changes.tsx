import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

// Most forms are saved, and their pages stand without the question.
const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/**
 * Holds whoever is about to leave a form with unsaved changes: by a link, back, a drawer or choice
 * that the address tells, by reload or by closing the tab. The last two are asked about in the
 * browser's own words.
 */
export function UnsavedChanges({ present }: { present: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      present &&
      (current.pathname !== next.pathname ||
        JSON.stringify(current.search) !== JSON.stringify(next.search)),
    enableBeforeUnload: () => present,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Suspense>
      <LeaveDialog onStay={reset} onLeave={proceed} />
    </Suspense>
  )
}
