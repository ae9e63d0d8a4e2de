import { type RefObject, useEffect, useState } from 'react'

/**
 * Returns the focus to where it was when the dialog opened, or to what opened it where that lost
 * the focus meanwhile (a button that was disabled while the dialog loaded). Mantine does so only
 * for a dialog that was mounted before it opened.
 */
export function useReturnedFocus(opener?: RefObject<HTMLElement | null>): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const target = opener?.current ?? before
      if (target instanceof HTMLElement && target.isConnected) target.focus({ preventScroll: true })
    },
    [before, opener],
  )
}
