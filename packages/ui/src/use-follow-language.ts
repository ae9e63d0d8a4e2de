import { useEffect } from 'react'
import { followLanguage } from './page-language.ts'

/**
 * Follows the language of these settings once, when the frame appears. A change that comes later,
 * such as one of the tenant's admins, waits for the next load: it must not take away what somebody
 * is typing.
 */
export function useFollowLanguage(me: Parameters<typeof followLanguage>[0]): void {
  useEffect(() => followLanguage(me), [])
}
