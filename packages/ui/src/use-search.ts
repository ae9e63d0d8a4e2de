import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'

/**
 * The search over pages is loaded when it is opened for the first time: render it once `requested`.
 * It opens by itself then, and listens to mod+K from there on.
 */
export function useSearch(): { requested: boolean; open: () => void } {
  const [requested, setRequested] = useState(false)
  useHotkeys(requested ? [] : [['mod + K', () => setRequested(true)]])
  const open = () => {
    if (requested) void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open())
    else setRequested(true)
  }
  return { requested, open }
}
