import type { MembersHouse } from '../../apps/api/test/members-house.ts'
import { moneyWrites } from './kill-money.ts'
import { peopleWrites } from './kill-people.ts'
import { removalWrites } from './kill-removals.ts'
import { tenantWrites } from './kill-tenants.ts'
import type { Write } from './kills.ts'

/** The writes beside provisioning: rights, people, removals, calendars and money. */
export function furtherWrites(house: MembersHouse): readonly Write<never>[] {
  return [...tenantWrites(house), ...peopleWrites(house), ...removalWrites(house), ...moneyWrites(house)]
}
