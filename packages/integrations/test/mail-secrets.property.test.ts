import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CallReport } from '../src/call-policy.ts'
import { stalwart } from '../src/mail/stalwart.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import { credentialCanary } from './clients.ts'
import { mailMethods, passwordCanary } from './mail-methods.ts'

// Made of letters, as names of properties are: the place of a wrong value in an answer must not be
// told either.
const canary = 'AnswerCanary'

/**
 * Results in which the canary stands as value and as key, loose and inside the shapes that the
 * server answers with.
 */
const { result, node } = fc.letrec<{ node: unknown; result: unknown; object: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(canary, null, true, 7, '', [], {}),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(canary, '0', '@type', 'id', 'name', 'type', 'domainId'),
      tie('node'),
      { maxKeys: 4 },
    ),
  ),
  object: fc.record({
    id: fc.constantFrom<unknown>('d', canary, 7),
    '@type': fc.constantFrom<unknown>('User', canary),
    name: fc.oneof(fc.constant(canary), tie('node')),
    domainId: fc.constantFrom<unknown>('c', canary, null),
    emailAddress: fc.oneof(fc.constant(`${canary}@acme.test`), tie('node')),
    aliases: fc.oneof(
      fc.constant({ [canary]: { name: canary, domainId: 'c' } }),
      fc.constant({ 0: { name: 7 } }),
      tie('node'),
    ),
    permissions: fc.oneof(
      fc.constant({ '@type': canary }),
      fc.constant({ '@type': 'Merge', disabledPermissions: canary }),
      tie('node'),
    ),
    credentials: fc.oneof(
      fc.constant({ [canary]: { '@type': 'Password' } }),
      fc.constant({ [canary]: canary }),
      tie('node'),
    ),
    recipients: fc.oneof(fc.constant({ [canary]: canary }), tie('node')),
    dnsZoneFile: fc.oneof(fc.constant(`${canary} IN TXT "${canary}`), tie('node')),
    dkimManagement: fc.oneof(
      fc.constant({ '@type': 'Automatic', algorithms: { [canary]: true } }),
      tie('node'),
    ),
  }),
  result: fc.oneof(
    tie('node'),
    fc.record({ list: fc.array(tie('object'), { maxLength: 2 }), ids: fc.constant([canary]) }),
    fc.record({ ids: fc.constantFrom<unknown>(['d'], [canary], [7]) }),
    fc
      .constantFrom('created', 'updated', 'destroyed', 'notCreated', 'notUpdated', 'notDestroyed')
      .chain((outcome) =>
        fc
          .oneof(
            tie('node'),
            fc.record({
              type: fc.constantFrom(canary, 'invalidProperties', 'objectIsLinked'),
              properties: fc.constant([canary]),
            }),
            fc.constant({
              type: 'objectIsLinked',
              linkedObjects: [{ object: canary, id: canary }],
            }),
          )
          .map((value) => ({
            [outcome]: { object: value, d: value, c: value, b: value, [canary]: value },
          })),
      ),
  ),
}))

it.each(mailMethods)(
  'no answer makes $name tell a credential, a password or a word of the answer',
  async ({ run }) => {
    let failures = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(result, { minLength: 1, maxLength: 4 }),
        node,
        async (results, loose) => {
          const reports: CallReport[] = []
          let turn = 0
          const fetch = async (_: unknown, init?: RequestInit) => {
            if (typeof init?.body !== 'string')
              return Response.json({
                primaryAccounts: { 'urn:stalwart:jmap': 'b' },
                permissions: loose,
              })
            const { methodCalls } = JSON.parse(init.body) as {
              methodCalls: [string, unknown, string][]
            }
            const methodResponses = methodCalls.map(([name, , callId]) => [
              name,
              results[turn++ % results.length],
              callId,
            ])
            return Response.json({ methodResponses })
          }
          const mail = stalwart({
            baseUrl: 'http://127.0.0.1',
            apiKey: credentialCanary,
            fetch,
            retries: 0,
            circuit: { failures: Number.MAX_SAFE_INTEGER, openMs: 1 },
            onCall: (report) => reports.push(report),
          })
          const outcome = await run(mail, { accountId: 'd', domainId: 'c', listId: 'b' }).catch(
            (thrown: unknown) => thrown,
          )
          if (!(outcome instanceof Error)) return
          failures += 1
          expect(outcome).toBeInstanceOf(UpstreamError)
          const shown =
            inspect([outcome, reports], { depth: 10, showHidden: true }) +
            JSON.stringify([outcome, reports])
          for (const secret of [canary, credentialCanary, passwordCanary])
            expect(shown).not.toContain(secret)
        },
      ),
      { numRuns: 150 },
    )
    expect(failures).toBeGreaterThan(30)
  },
)
