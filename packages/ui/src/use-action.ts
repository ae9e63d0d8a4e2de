import { useState } from 'react'

/** An action of a form or a button: whether it is under way, and how it failed the last time. */
export function useAction(): {
  pending: boolean
  error: unknown
  run: (action: () => Promise<void>) => Promise<void>
} {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  async function run(action: () => Promise<void>): Promise<void> {
    setPending(true)
    setError(undefined)
    try {
      await action()
    } catch (failure) {
      setError(failure)
    } finally {
      setPending(false)
    }
  }
  return { pending, error, run }
}
