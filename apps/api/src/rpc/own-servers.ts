import type { AuditSource } from '@atrium/core/audit/audit'
import { equalBytes } from '@atrium/db/platform/constant-time'
import type { Config } from '../platform/config.ts'

/**
 * Our own servers, which prove themselves to the API by a secret in a header. What they say of
 * their callers is believed.
 */
export type OwnServer = 'portal' | 'operator' | 'booking'

export const appSecretHeader = 'x-atrium-app-secret'
/** Of the booking app, whose header is older than that of the others. */
export const bookingSecretHeader = 'x-atrium-booking-app'

type Secrets = Pick<Config, 'booking' | 'appSecrets'>

/**
 * Which of our servers sent a request; undefined for any other client. Runs in constant time,
 * however much of a secret matches.
 */
export function ownServerOf(
  config: Secrets,
  header: (name: string) => string | undefined,
): OwnServer | undefined {
  if (matches(config.booking.appSecret, header(bookingSecretHeader))) return 'booking'
  const presented = header(appSecretHeader)
  if (matches(config.appSecrets.portal, presented)) return 'portal'
  return matches(config.appSecrets.operator, presented) ? 'operator' : undefined
}

const sourcesOf: Readonly<Record<OwnServer, readonly AuditSource[]>> = {
  portal: ['portal', 'partner'],
  operator: ['operator'],
  booking: ['booking'],
}

/**
 * The app through which a person acted: as reported by one of our servers, within what it may
 * report; `api` for any other client.
 */
export function sourceOf(server: OwnServer | undefined, said: string | undefined): AuditSource {
  return (server && sourcesOf[server].find((source) => source === said)) ?? server ?? 'api'
}

function matches(secret: string | null, presented: string | undefined): boolean {
  if (secret === null || presented === undefined) return false
  return equalBytes(Buffer.from(secret), Buffer.from(presented))
}
