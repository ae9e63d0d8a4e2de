import { createHash } from 'node:crypto'
import type { Caller } from './caller.ts'
import { capabilities, serverCapabilities } from './capabilities.ts'
import type { JsonObject } from './json.ts'

/** Changes when what the caller may do changes. */
export function sessionState(caller: Caller | undefined): string {
  const seed = caller ? `${caller.accountId} ${[...caller.permissions].join(' ')}` : 'anonymous'
  return createHash('sha256').update(seed).digest('hex').slice(0, 8)
}

const accountCapabilities = {
  'urn:ietf:params:jmap:mail': {
    maxMailboxesPerEmail: null,
    maxMailboxDepth: 10,
    maxSizeMailboxName: 255,
    maxSizeAttachmentsPerEmail: 50_000_000,
    emailQuerySortOptions: ['receivedAt', 'size', 'from', 'to', 'subject', 'sentAt'],
    mayCreateTopLevelMailbox: true,
  },
  'urn:ietf:params:jmap:calendars': {
    maxCalendarsPerEvent: null,
    minDateTime: '0001-01-01T00:00:00Z',
    maxDateTime: '9999-12-31T23:59:59Z',
    maxExpandedQueryDuration: 'P52W1D',
    maxParticipantsPerEvent: 20,
    mayCreateCalendar: true,
  },
  'urn:ietf:params:jmap:principals:availability': { maxAvailabilityDuration: 'P52W1D' },
  [capabilities.quota]: {},
  [capabilities.stalwart]: {},
} satisfies JsonObject

/**
 * The session resource. Without a caller it is the anonymous session: 200, no accounts. Its
 * addresses come from the server's own public host name, whatever address the client used.
 */
export function sessionResource(caller: Caller | undefined, host: string): JsonObject {
  const base = `https://${host}`
  const held = caller && {
    ...accountCapabilities,
    [capabilities.principals]: { currentUserPrincipalId: caller.accountId },
  }
  return {
    capabilities: serverCapabilities(host),
    accounts:
      caller && held
        ? {
            [caller.accountId]: {
              name: caller.address,
              isPersonal: true,
              isReadOnly: false,
              accountCapabilities: held,
            },
          }
        : {},
    primaryAccounts:
      caller && held
        ? Object.fromEntries(Object.keys(held).map((name) => [name, caller.accountId]))
        : {},
    username: caller?.address ?? '',
    apiUrl: `${base}/jmap/`,
    downloadUrl: `${base}/jmap/download/{accountId}/{blobId}/{name}?accept={type}`,
    uploadUrl: `${base}/jmap/upload/{accountId}/`,
    eventSourceUrl: `${base}/jmap/eventsource/?types={types}&closeafter={closeafter}&ping={ping}`,
    state: sessionState(caller),
  }
}
