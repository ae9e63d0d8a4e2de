import { findAppError } from '../../src/platform/errors.ts'

/** Where and by which sentence a call rejects its input; undefined when it does not. */
export function rejection(call: () => unknown): string[] | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    const found = findAppError(error)
    if (found?.code !== 'invalid_input') throw error
    return (found.issues ?? []).map(({ path, message }) => `${path}: ${message}`)
  }
}
