import { type FlagSettings, offFlag } from '@atrium/core/flags/flags'
import { insertFlag, notifyFlags } from '@atrium/db/flags/flags'
import type { Trx } from '@atrium/db/platform/connect'
import type { Parts } from './parts.ts'
import { dayMs, hourMs, operatorActor } from './parts.ts'

const flags: readonly {
  key: string
  monthsAgo: number
  steps: readonly (Partial<FlagSettings> & { daysAgo: number; note: string })[]
}[] = [
  {
    key: 'new_file_search',
    monthsAgo: 5,
    steps: [
      {
        daysAgo: 150,
        note: 'First try with our own workplaces.',
        state: 'rollout',
        percentage: 5,
        description: 'Full-text search in files.',
        owner: 'files@atrium.test',
      },
      { daysAgo: 120, note: 'No complaints.', percentage: 25 },
      { daysAgo: 90, note: 'Half of all tenants.', percentage: 50 },
      { daysAgo: 45, note: 'For everyone.', state: 'on' },
    ],
  },
  {
    key: 'shared_calendars',
    monthsAgo: 2,
    steps: [
      {
        daysAgo: 58,
        note: 'Business plans first.',
        state: 'rollout',
        percentage: 10,
        allowPlans: ['business', 'enterprise'],
        description: 'Calendars of a whole team.',
        owner: 'scheduling@atrium.test',
      },
      { daysAgo: 20, note: 'More of them.', percentage: 40 },
    ],
  },
  {
    key: 'passkey_sign_in',
    monthsAgo: 3,
    steps: [
      {
        daysAgo: 85,
        note: 'To be tried.',
        state: 'rollout',
        percentage: 10,
        description: 'Sign in with a passkey.',
        owner: 'identity@atrium.test',
      },
      { daysAgo: 62, note: 'Older browsers failed to sign in.', state: 'off' },
    ],
  },
  {
    key: 'invoice_reminders_by_text',
    monthsAgo: 1,
    steps: [
      {
        daysAgo: 26,
        note: 'Prepared, not in use yet.',
        state: 'off',
        description: 'Reminders of invoices as text messages.',
        owner: 'billing@atrium.test',
      },
    ],
  },
]

export async function insertFlags(trx: Trx, { history, operator, audit }: Parts): Promise<void> {
  for (const { key, steps } of flags) {
    let before: FlagSettings | null = null
    const states = steps.map(({ daysAgo, note, ...changes }) => {
      const after: FlagSettings = { ...(before ?? offFlag), ...changes }
      const step = {
        at: new Date(history.until.getTime() - daysAgo * dayMs + 9 * hourMs),
        note,
        before,
        after,
      }
      before = after
      return step
    })
    const [first, last] = [states[0], states.at(-1)]
    if (!first || !last) continue
    await insertFlag(trx, {
      key,
      note: last.note,
      salt: null,
      settings: last.after,
      updatedBy: operator.id,
    })
    await trx
      .updateTable('flags')
      .set({ created_at: first.at, updated_at: last.at, version: states.length })
      .where('key', '=', key)
      .execute()
    for (const [index, { at, note, before: from, after }] of states.entries()) {
      const kind = index === 0 ? ('created' as const) : ('updated' as const)
      await trx
        .insertInto('flag_changes')
        .values({
          flag_key: key,
          version: index + 1,
          kind,
          at,
          note,
          actor_id: operator.id,
          actor_email: operator.email,
          before: from && JSON.stringify(from),
          after: JSON.stringify(after),
        })
        .execute()
      audit.by(operatorActor(operator), at, {
        action: `flag.${kind}`,
        resourceType: 'flag',
        resourceId: key,
        resourceName: key,
        metadata: { note, version: index + 1 },
      })
    }
    await notifyFlags(trx, key)
  }
}
