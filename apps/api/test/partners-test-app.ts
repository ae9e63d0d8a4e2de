import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { insertTestTenant } from '@atrium/testing/records'
import {
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestResponse,
} from '@atrium/testing/test-app'

export interface Person {
  id: string
  subject: string
  email: string
  token: string
}

export interface PartnersTestApp extends TestApp {
  issuer: Issuer
  /** A token of a demo person, or of anybody by subject. */
  tokenOf(subject: string): Promise<string>
  demoToken(email: string): Promise<string>
  /** A partner under a slug of its own. */
  newPartner(fields?: Record<string, unknown>): Promise<{ id: string; slug: string }>
  /** Somebody on the staff of a partner; without access, somebody who works for nobody. */
  newPerson(
    staff?: { partnerId: string; access: PartnerAccess },
    fields?: Record<string, unknown>,
  ): Promise<Person>
  /** A tenant of the partner, with a free plan and two seats unless said otherwise. */
  newCustomer(
    partnerId: string | null,
    fields?: { plan?: 'free' | 'business'; seats?: number },
  ): Promise<{ id: string; slug: string }>
  /** As REST; the token of the operator unless another is given. */
  call(method: string, path: string, body?: object, token?: string): Promise<TestResponse>
}

/**
 * A test app in which everybody can sign in, whether the sandbox's identity provider knows them or
 * not.
 */
export async function startPartnersTestApp(options: TestAppOptions = {}): Promise<PartnersTestApp> {
  const issuer = await startIssuer(
    options.clock ? () => options.clock?.now() ?? new Date() : undefined,
  )
  const testApp = await startTestApp({
    provisioned: false,
    ...options,
    env: { IDP_ISSUER: issuer.url, ...options.env },
  })
  const { db } = testApp.database
  const operatorClaims = {
    ...personClaims('operator@atrium.test'),
    aud: demoClients.operator.clientId,
  }
  const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`
  const tokenOf = (sub: string) => issuer.sign({ sub, groups: undefined })

  async function newPerson(
    staff?: { partnerId: string; access: PartnerAccess },
    fields: Record<string, unknown> = {},
  ): Promise<Person> {
    const subject = randomBytes(32).toString('hex')
    const email = `${unique('person')}@example.test`
    const { id } = await db
      .insertInto('users')
      .values({
        idp_subject_id: subject,
        email,
        proved_email: email,
        name: 'Person',
        partner_id: staff?.partnerId ?? null,
        partner_access: staff?.access ?? null,
        ...fields,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, subject, email, token: await tokenOf(subject) }
  }

  return {
    ...testApp,
    issuer,
    tokenOf,
    demoToken: (email) => issuer.sign(personClaims(email)),
    newPartner: (fields = {}) => {
      const slug = unique('partner')
      return db
        .insertInto('partners')
        .values({ slug, name: slug, ...fields })
        .returning(['id', 'slug'])
        .executeTakeFirstOrThrow()
    },
    newPerson,
    async newCustomer(partnerId, { plan = 'free', seats = 2 } = {}) {
      const slug = unique('customer')
      const owner = await newPerson()
      const inserted = await db
        .transaction()
        .execute((trx) =>
          insertTestTenant(trx, { slug, plan, partnerId, seats, ownerId: owner.id }),
        )
      return inserted
    },
    // Signed again every time, because tests move the clock by months.
    call: async (method, path, body, token) =>
      testApp.request(method, path, {
        token: token ?? (await issuer.sign(operatorClaims)),
        ...(body ? { body } : {}),
      }),
    async [Symbol.asyncDispose]() {
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
