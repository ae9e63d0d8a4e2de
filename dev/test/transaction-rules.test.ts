import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { createTransactionRules } from '../../.ci/transaction-rules.ts'

function faultsOf(text: string): string[] {
  const { program } = parseSync('example.ts', text)
  const rules = createTransactionRules()
  rules.learn(program)
  return rules.faultsOf(program).map(({ fault }) => fault)
}

it.each([
  ['a query by the pool', 'async (trx) => { await findMember(services.database.db, id) }'],
  ['a query by a handle of before', 'async (trx) => { await findMember(db, id) }'],
  ['a statement of a handle of before', "async () => { await db.selectFrom('users').execute() }"],
  [
    'a function that is given the service alone',
    'async (trx) => { await readMember(services, access, id) }',
  ],
  ['a function that is given the call alone', 'async (lock) => { await begin(ctx, input) }'],
  [
    'a part of the service that asks the database',
    'async (trx) => { await services.flags.isOn(key) }',
  ],
])('finds %s in a transaction', (_, callback) => {
  expect(faultsOf(`await db.transaction().execute(${callback})`)).toHaveLength(1)
  expect(faultsOf(`await tenantTransaction(services, tenantId, ${callback})`)).toHaveLength(1)
})

it('finds them in functions that a transaction is handed to, also within other values', () => {
  expect(
    faultsOf('async function act(trx: Trx, id: string) { await readMember(services, id) }'),
  ).toHaveLength(1)
  expect(
    faultsOf(
      'interface Facts { trx: Trx }\nasync function act(facts: Facts) { await readMember(services) }',
    ),
  ).toHaveLength(1)
  expect(faultsOf('async function act(trx: Trx, services: Services) {}')).toEqual([
    'takes a Services beside a transaction; take InTransaction',
  ])
})

it('allows what uses the open transaction, and what comes before and after it', () => {
  expect(
    faultsOf(`
      async function act(trx: Trx, services: InTransaction) {
        await services.outbox.send(trx, mail)
        services.log.info('done')
      }
      async function outside(services: Services, work: (trx: Trx) => Promise<void>) {
        await readMember(services, id)
        await db.transaction().execute(async (trx) => act(trx, services))
        await findMember(services.database.db, id)
      }`),
  ).toEqual([])
})
