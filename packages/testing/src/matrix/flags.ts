import { randomBytes } from 'node:crypto'
import { type FlagSettings, offFlag } from '@atrium/core/flags/flags'
import { insertFlag, insertFlagChange, notifyFlags } from '@atrium/db/flags/flags'
import { everybody, membersOrOperators, operatorsOnly, type Rows, type World } from './rows.ts'

const newKey = () => `flag_${randomBytes(6).toString('hex')}`

const settings: FlagSettings = { ...offFlag, state: 'on' }

async function flag({ testApp }: World): Promise<string> {
  const [key, note] = [newKey(), 'Made.']
  await testApp.database.db.transaction().execute(async (trx) => {
    await insertFlag(trx, { key, salt: null, settings, note, updatedBy: null })
    const change = {
      key,
      version: 1,
      kind: 'created',
      actorId: null,
      actorEmail: null,
      note,
      before: null,
      after: settings,
    } as const
    await insertFlagChange(trx, change)
    // Other processes of the workplace, which some proofs have, keep what they know for some
    // seconds.
    await notifyFlags(trx, key)
  })
  testApp.app.services.flags.forget()
  return key
}

export const flagsRows: Rows = {
  'flags.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'flags.create': [{ input: () => ({ key: newKey() }), expected: operatorsOnly }],
  'flags.get': [{ input: async (world) => ({ key: await flag(world) }), expected: operatorsOnly }],
  'flags.update': [
    {
      input: async (world) => ({ key: await flag(world), state: 'off', note: 'kill-switch' }),
      expected: operatorsOnly,
    },
  ],
  'flags.remove': [
    { input: async (world) => ({ key: await flag(world) }), expected: operatorsOnly },
  ],
  'flags.history': [
    { input: async (world) => ({ key: await flag(world) }), expected: operatorsOnly },
  ],
  'flags.guards': [
    { input: async (world) => ({ key: await flag(world) }), expected: operatorsOnly },
  ],
  'flags.explain': [
    {
      input: async (world) => ({ key: await flag(world), tenantSlug: world.slug }),
      expected: operatorsOnly,
    },
  ],
  // Strangers get a response too: only false, see flags.test.ts.
  'flags.evaluate': [
    { input: () => ({}), expected: everybody },
    { input: ({ slug }) => ({ tenantSlug: slug }), expected: everybody },
  ],
  'flags.evaluateByOfrep': [
    { input: ({ slug }) => ({ context: { targetingKey: slug } }), expected: membersOrOperators },
  ],
  'flags.evaluateOneByOfrep': [
    {
      input: async (world) => ({ key: await flag(world), context: { targetingKey: world.slug } }),
      expected: membersOrOperators,
    },
  ],
}
