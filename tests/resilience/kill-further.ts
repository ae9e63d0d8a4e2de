import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { addressWrites } from './kill-addresses.ts'
import { directoryWrites } from './kill-directories.ts'
import { moneyWrites } from './kill-money.ts'
import { peopleWrites } from './kill-people.ts'
import { removalWrites } from './kill-removals.ts'
import { tenantWrites } from './kill-tenants.ts'
import type { Write } from './kills.ts'

/** The writes beside provisioning: rights, people, removals, directories, calendars and money. */
export function furtherWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    ...tenantWrites(testApp),
    ...peopleWrites(testApp),
    ...addressWrites(testApp),
    ...removalWrites(testApp),
    ...directoryWrites(testApp),
    ...moneyWrites(testApp),
  ]
}
