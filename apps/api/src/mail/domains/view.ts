import { domainToUnicode } from 'node:url'
import {
  expectedRecords,
  withVerdicts,
  writeVerdict,
  zoneText,
} from '@atrium/core/mail/domain-records'
import { type DomainView, type ExpectedRecord, isBelow } from '@atrium/core/mail/domains'
import type { DomainRow } from '@atrium/db/mail/domains'
import { withEditVersion } from '../../rpc/edit-version.ts'
import { readerLanguage, readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'

/** Whether domains are set up in a mail server at all. */
export function hasMail(services: Services): boolean {
  return services.config.mailProvisioning && services.systems.mail !== null
}

/** Below the platform's own domain, which its operator publishes. */
export function isManaged(services: Pick<Services, 'config'>, name: string): boolean {
  return isBelow(name, services.config.tenantDomain)
}

/** What has to be published for the domain as it is now. */
export function recordsOf(services: Services, row: DomainRow): ExpectedRecord[] {
  return expectedRecords({
    name: row.name,
    ownershipToken: row.ownershipToken,
    managed: isManaged(services, row.name),
    dmarc: { policy: row.dmarcPolicy, rua: row.dmarcRua, pct: row.dmarcPct },
    mailRecords: hasMail(services) ? row.mailRecords : null,
  })
}

/** The domain as its people see it. A record that changed since the last check is `unchecked`. */
export function toDomainView(services: Services, row: DomainRow): DomainView {
  const expected = recordsOf(services, row)
  const view = {
    name: row.name,
    unicodeName: domainToUnicode(row.name) || row.name,
    primary: row.primary,
    managed: isManaged(services, row.name),
    verified: row.verifiedAt !== null,
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    state: row.state,
    records: withVerdicts(expected, row.verdicts).map((record) =>
      writeVerdict(record, readerLanguage()),
    ),
    zone: zoneText(expected),
    dmarc: { policy: row.dmarcPolicy, rua: row.dmarcRua, pct: row.dmarcPct },
    keysPending:
      hasMail(services) &&
      (row.mailDomainId ?? row.mailPendingId) !== null &&
      !row.mailRecordsComplete,
    mailError: readFailure(row.mailError),
    releasedName: row.releasedName,
    lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
    nextCheckAt: row.nextCheckAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
  return { ...view, editVersion: editableDomain(row).editVersion }
}

/** What a form changes of a domain: its DMARC settings. */
export function editableDomain({ name, dmarcPolicy, dmarcRua, dmarcPct }: DomainRow) {
  return withEditVersion({ name, dmarc: { policy: dmarcPolicy, rua: dmarcRua, pct: dmarcPct } }, [
    dmarcPolicy,
    dmarcRua,
    dmarcPct,
  ])
}
