import { Suspense, useState } from 'react'
import type { ConfirmProps } from './confirm-dialog.tsx'
import { lazyOnInput } from './lazy-on-input.ts'

const ConfirmModal = lazyOnInput(() => import('./confirm-dialog.tsx'))

/**
 * Asks before an act that matters. The dialog is mounted with its first opening and stays, so that
 * closing is seen.
 */
export function ConfirmDialog(props: ConfirmProps) {
  const [used, setUsed] = useState(props.opened)
  if (props.opened && !used) setUsed(true)
  return <Suspense>{used && <ConfirmModal {...props} />}</Suspense>
}
