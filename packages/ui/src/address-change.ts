import { useDebouncedCallback } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'

/**
 * Calls back 250 ms after the last call, for fields whose value lives in the address. Not while a
 * link leads elsewhere: changing the address of the page being left would call that navigation
 * back.
 */
export function useAddressChange<Value>(change: (value: Value) => void): (value: Value) => void {
  const router = useRouter()
  return useDebouncedCallback((value: Value) => {
    const shown = router.state.resolvedLocation ?? router.state.location
    if (router.latestLocation.pathname === shown.pathname) change(value)
  }, 250)
}
