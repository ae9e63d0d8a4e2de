import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { tellOutcome } from '../src/use-mutation.ts'

/**
 * A part of the page that asks for a change and is gone before what follows the change is done, as
 * a form that is made again.
 */
function leavingPart(change: () => Promise<string>) {
  const refreshed = Promise.withResolvers<void>()
  const client = new QueryClient()
  const observer = new MutationObserver<string, Error, void>(client, {
    mutationFn: change,
    onSettled: () => refreshed.promise,
  })
  const leave = observer.subscribe(() => {})
  return {
    observer,
    kept: () => client.getMutationCache().getAll()[0]?.state,
    leave: () => {
      leave()
      refreshed.resolve()
    },
  }
}

describe('the outcome of a change', () => {
  it('is told although the part of the page that asked is gone', async () => {
    const part = leavingPart(async () => 'saved')
    const byTanStack = vi.fn()
    const onSuccess = vi.fn()
    const onSettled = vi.fn()
    tellOutcome(part.observer.mutate(undefined, { onSuccess: byTanStack }), {
      onSuccess,
      onSettled,
    })
    part.leave()
    await vi.waitFor(() => expect(onSettled).toHaveBeenCalledOnce())
    expect(onSuccess).toHaveBeenCalledExactlyOnceWith('saved')
    expect(byTanStack).not.toHaveBeenCalled()
  })

  it('is reported as a failure once, and nothing is left unhandled', async () => {
    const part = leavingPart(() => Promise.reject(new Error('refused')))
    const onSuccess = vi.fn()
    const onError = vi.fn()
    tellOutcome(part.observer.mutate(), { onSuccess, onError })
    part.leave()
    await vi.waitFor(() => expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('refused')))
    expect(onSuccess).not.toHaveBeenCalled()
  })

  it('may be left untold', async () => {
    const part = leavingPart(() => Promise.reject(new Error('refused')))
    tellOutcome(part.observer.mutate())
    part.leave()
    await vi.waitFor(() =>
      expect(part.kept()).toMatchObject({ status: 'error', error: new Error('refused') }),
    )
  })
})
