import { domainToUnicode } from 'node:url'
import { expectedRecords, withVerdicts, zoneText } from '@atrium/core/domain-records'
import { type DomainView, type ExpectedRecord, isBelow } from '@atrium/core/domains'
import type { DomainRow } from '@atrium/db/domains'
import type { House } from '../house.ts'

/** Whether domains are set up in a mail server at all. */
export function hasMail(house: House): boolean {
  return house.config.mailProvisioning && house.systems.mail !== null
}

/** Below the platform's own domain, which its operator publishes. */
export function isManaged(house: Pick<House, 'config'>, name: string): boolean {
  return isBelow(name, house.config.tenantDomain)
}

/** What has to be published for the domain as it is now. */
export function recordsOf(house: House, row: DomainRow): ExpectedRecord[] {
  return expectedRecords({
    name: row.name,
    ownershipToken: row.ownershipToken,
    managed: isManaged(house, row.name),
    dmarc: { policy: row.dmarcPolicy, rua: row.dmarcRua, pct: row.dmarcPct },
    mailRecords: hasMail(house) ? row.mailRecords : null,
  })
}

/** The domain as its people see it. A record that changed since the last check is `unchecked`. */
export function toDomainView(house: House, row: DomainRow): DomainView {
  const expected = recordsOf(house, row)
  return {
    name: row.name,
    unicodeName: domainToUnicode(row.name) || row.name,
    primary: row.primary,
    managed: isManaged(house, row.name),
    verified: row.verifiedAt !== null,
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    state: row.state,
    records: withVerdicts(expected, row.verdicts),
    zone: zoneText(expected),
    dmarc: { policy: row.dmarcPolicy, rua: row.dmarcRua, pct: row.dmarcPct },
    keysPending: hasMail(house) && (row.mailDomainId ?? row.mailPendingId) !== null && !row.mailRecordsComplete,
    mailError: row.mailError,
    lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
    nextCheckAt: row.nextCheckAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
