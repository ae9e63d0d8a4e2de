import { useEffect } from 'react'
import { followLanguage } from './page-language.ts'

/**
 * Follows the language of these settings once, when the frame appears. A later change, such as one
 * by the tenant's admins, applies at the next load: it must not discard what someone is typing.
 */
export function useFollowLanguage(me: Parameters<typeof followLanguage>[0]): void {
  useEffect(() => followLanguage(me), [])
}
