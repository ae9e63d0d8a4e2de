import { webcrypto } from 'node:crypto'
import { temporaryPassword } from '@atrium/core/members/passwords'

/**
 * One password for everything that an action creates. It lives as long as the request, is returned
 * in its response, and is stored nowhere.
 */
export interface OneTimePassword {
  /** The password, for a system that is given it now. */
  give(): string
  /** The password when some system took it, else null: one that opens nothing is not shown. */
  shown(): string | null
}

export function createOneTimePassword(): OneTimePassword {
  const password = randomPassword()
  let provided = false
  return {
    give() {
      provided = true
      return password
    },
    shown: () => (provided ? password : null),
  }
}

export function randomPassword(): string {
  return temporaryPassword((buffer) => webcrypto.getRandomValues(buffer))
}
