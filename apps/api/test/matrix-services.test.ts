import { type ServiceScope, scopesOfKind } from '@atrium/core/service-tokens/scopes'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { overTrpc } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import type { Caller, Row, World } from '@atrium/testing/matrix/rows'
import { serviceScopes } from '@atrium/testing/matrix/service-scopes'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/http/openapi.ts'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

let places: Places
beforeAll(async () => {
  places = await openLocations()
}, 60_000)
afterAll(() => places[Symbol.asyncDispose]())

const metaOf = (name: string) => proceduresOf(appRouter)[name]?._def.meta
const needingTokens = Object.keys(matrix).filter((name) => metaOf(name)?.needsToken)

it('every procedure that needs a token says which service tokens open it, as documented', () => {
  const documented = Object.fromEntries(
    Object.entries(serviceScopes).flatMap(([scope, names]) => names.map((name) => [name, scope])),
  )
  const declared = Object.fromEntries(needingTokens.map((name) => [name, metaOf(name)?.scope]))
  expect(declared).toEqual(documented)
})

it('the API description names the scopes of each operation', () => {
  const named = Object.values(openApiDocument('1', '/').paths)
    .flatMap((ofPath) => Object.values(ofPath))
    .flatMap(({ operationId, security }) =>
      security.flatMap(({ serviceToken }) =>
        serviceToken ? [[operationId, serviceToken.filter((one) => one !== 'secrets:read')]] : [],
      ),
    )
  const documented = Object.entries(serviceScopes).flatMap(([scope, names]) =>
    scope === 'never'
      ? []
      : names.map((name) => [name.replaceAll('.', '-'), scope === 'any' ? [] : [scope]]),
  )
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(documented))
})

/** Each kind of token, with the person whose rights it has. */
const kinds = {
  tenant: {
    owner: ({ tenantId }: World): TokenOwner => ({ kind: 'tenant', tenantId }),
    as: 'admin',
    foreign: 'foreignAdmin',
  },
  partner: {
    owner: ({ partnerId }: World): TokenOwner => ({ kind: 'partner', partnerId }),
    as: 'partnerStaff',
    foreign: 'foreignPartnerStaff',
  },
  platform: {
    owner: (): TokenOwner => ({ kind: 'platform' }),
    as: 'operator',
    foreign: undefined,
  },
} as const satisfies Record<
  TokenOwner['kind'],
  { owner: (world: World) => TokenOwner; as: Caller; foreign: Caller | undefined }
>
type Kind = keyof typeof kinds

async function outcomeOf(
  name: string,
  row: Row,
  owner: (world: World) => TokenOwner,
  scopes?: readonly ServiceScope[],
): Promise<string> {
  const world = await places.build('nobody')
  const { token } = await insertServiceToken(
    places.testApp,
    owner(world),
    scopes === undefined ? {} : { scopes },
  )
  return (await overTrpc(places.testApp, name, await row.input(world), token)).outcome
}

/**
 * Where a program is treated otherwise than the person: it reads its own events; a token of a
 * partner has the rights of a manager and the person is an owner; a tenant's creates no tenants;
 * and calls about the person's own record are about a colleague, because a program has none.
 */
const differences: Readonly<Record<string, string>> = {
  'invitations.ofPartner, call 0, partner': 'access_level',
  'documents.setPartnerAddress, call 0, partner': 'access_level',
  ...Object.fromEntries(
    [0, 1, 2].flatMap((index) =>
      ['tenant', 'foreign tenant'].map((kind) => [
        `tenants.create, call ${index}, ${kind}`,
        'insufficient_scope',
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['events.list', 'events.stream'].flatMap((name) =>
      ['tenant', 'foreign tenant', 'partner', 'foreign partner'].map((kind) => [
        `${name}, call 0, ${kind}`,
        'ok',
      ]),
    ),
  ),
  'scheduling.hosts.create, call 1, platform': 'ok',
  'members.listAliases, call 1, platform': 'ok',
}

describe.each(
  needingTokens.flatMap((name) => (matrix[name] ?? []).map((row, index) => ({ name, row, index }))),
)('$name, call $index', ({ name, row, index }) => {
  const scope = metaOf(name)?.scope
  const needed: ServiceScope[] = [
    ...(scope === undefined || scope === 'any' || scope === 'never' ? [] : [scope]),
    ...(metaOf(name)?.secretResponse ? (['secrets:read'] as const) : []),
  ]

  it('lets tokens with its scopes do what people with the same rights may', async () => {
    for (const kind of Object.keys(kinds) as Kind[]) {
      const { owner, as } = kinds[kind]
      const possible = needed.every((one) => scopesOfKind[kind].includes(one))
      const outcome = await outcomeOf(name, row, owner, possible ? needed : scopesOfKind[kind])
      const expected =
        scope === 'any'
          ? 'ok'
          : scope === 'never' || !possible
            ? 'insufficient_scope'
            : (differences[`${name}, call ${index}, ${kind}`] ?? row.expected[as])
      expect(outcome, kind).toBe(expected)
    }
  })

  it('treats tokens of another tenant and partner as it treats their people', async () => {
    if (scope === 'any' || scope === 'never') return
    const elsewhere = await places.elsewhere()
    for (const kind of ['tenant', 'partner'] as const) {
      const { owner, foreign } = kinds[kind]
      if (!needed.every((one) => scopesOfKind[kind].includes(one))) continue
      const outcome = await outcomeOf(name, row, () => owner(elsewhere), needed)
      expect(outcome, kind).toBe(
        differences[`${name}, call ${index}, foreign ${kind}`] ?? row.expected[foreign],
      )
    }
  })

  it('rejects tokens with all scopes but its own', async () => {
    if (scope === 'any' || scope === 'never') return
    for (const missing of needed) {
      const others = scopesOfKind.platform.filter((one) => one !== missing)
      expect(await outcomeOf(name, row, kinds.platform.owner, others)).toBe('insufficient_scope')
    }
  })
})
