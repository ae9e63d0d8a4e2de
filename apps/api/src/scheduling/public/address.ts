import { trimEnd } from '@atrium/core/platform/trim'
import type { Config } from '../../platform/config.ts'

/**
 * Where visitors find a page of the tenant, its host or an event type, by their slugs; null while
 * there are no booking pages.
 */
export function publicAddress(
  { booking }: Pick<Config, 'booking'>,
  ...slugs: readonly string[]
): string | null {
  return booking.url === null
    ? null
    : [trimEnd(booking.url, /\//), ...slugs.map(encodeURIComponent)].join('/')
}
