import { claimDueDomains, claimMailDomainRemovals, findDomainById } from '@atrium/db/domains'
import type { House } from '../house.ts'
import { checkDomain } from './check.ts'
import { endLapsedClaim, lapsedBefore } from './end-claim.ts'
import { removeFromMailServer } from './mail-side.ts'
import { notableEntries } from './recheck.ts'

const batch = 40
const atOnce = 8

/**
 * Checks the domains that are due, one batch after the other, and removes from the mail server what is left there of ended claims.
 * What fails is due again five minutes later.
 */
export async function checkDueDomains(house: House): Promise<void> {
  await removeDueFromMailServer(house)
  for (;;) {
    const due = await claimDueDomains(house.database.db, batch, lapsedBefore(house))
    const more = due.length === batch
    const workers = Array.from({ length: atOnce }, async () => {
      for (let id = due.pop(); id !== undefined; id = due.pop()) await checkByItself(house, id)
    })
    await Promise.all(workers)
    if (!more) return
  }
}

async function checkByItself(house: House, id: string): Promise<void> {
  try {
    const row = await findDomainById(house.database.db, id)
    const outcome = row && (await checkDomain(house, row, 'schedule'))
    if (outcome === undefined || outcome === 'removed' || outcome === 'superseded') return
    for (const entry of notableEntries(outcome)) await house.audit.recordSystem(entry)
    await endLapsedClaim(house, outcome.after)
  } catch (err) {
    // One domain must not keep the others from being checked.
    house.log.error({ err, domainId: id }, 'a domain could not be checked')
  }
}

async function removeDueFromMailServer(house: House): Promise<void> {
  if (!house.systems.mail) return
  for (;;) {
    const due = await claimMailDomainRemovals(house.database.db, batch)
    const more = due.length === batch
    const workers = Array.from({ length: atOnce }, async () => {
      for (let id = due.pop(); id !== undefined; id = due.pop()) await removeFromMailServer(house, id)
    })
    await Promise.all(workers)
    if (!more) return
  }
}
