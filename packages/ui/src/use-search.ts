import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'

/**
 * The search over pages is loaded when it is opened for the first time: render it once `requested`.
 * It opens by itself then, and listens to mod+K from there on.
 */
export function useSearch(): { wanted: boolean; open: () => void } {
  const [wanted, setRequested] = useState(false)
  useHotkeys(wanted ? [] : [['mod + K', () => setRequested(true)]])
  const open = () => {
    if (wanted) void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open())
    else setRequested(true)
  }
  return { wanted, open }
}
