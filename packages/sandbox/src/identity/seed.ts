import {
  commandLineClient,
  demoClients,
  demoPassword,
  demoPeople,
  demoServiceCredentials,
  demoTenantSlugs,
} from '@atrium/core/demo/demo'
import type { DemoHistory } from '@atrium/core/demo/demo-history'
import { deviceCodeGrant } from './oidc/device-pages.ts'
import { hashPassword } from './passwords.ts'
import {
  type ApplicationRecord,
  emptyRecords,
  type GroupRecord,
  hashedUserId,
  type IdentityRecords,
  newUuid,
  type ProviderRecord,
  type SigningKey,
  type UserRecord,
} from './records.ts'

export interface SeedOptions {
  readonly seed: 'demo' | 'empty'
  /** Origins of the two portals, for their redirect addresses. */
  readonly apps: { readonly portal: string; readonly operator: string }
  readonly accessTokenSeconds: number
  /** True: the default brand has a recovery flow. A fresh authentik has none. */
  readonly recoveryFlow: boolean
  readonly now: number
  /** Kept over a reset, because clients cache the published keys. */
  readonly signingKeys: SigningKey[]
  /** Its people get records too. They have no password: no one signs in as one of them. */
  readonly history?: DemoHistory | undefined
}

const flows = [
  ['default-provider-authorization-implicit-consent', 'authorization', 'Authorize Application'],
  ['default-provider-authorization-explicit-consent', 'authorization', 'Authorize Application'],
  ['default-provider-invalidation-flow', 'invalidation', 'Logged out of application'],
  ['default-authentication-flow', 'authentication', 'Welcome to authentik!'],
  ['default-invalidation-flow', 'invalidation', 'Default Invalidation Flow'],
  ['default-recovery-flow', 'recovery', 'Reset your password'],
  ['default-password-change', 'stage_configuration', 'Change password'],
  ['default-authenticator-totp-setup', 'stage_configuration', 'Set up Two-Factor authentication'],
  ['default-authenticator-webauthn-setup', 'stage_configuration', 'Setup WebAuthn'],
  ['default-authenticator-static-setup', 'stage_configuration', 'Set up static tokens'],
] as const

/** Parts of authentik's own flows that ours refers to, by model and name. */
const ownParts = [
  ['authentik_stages_prompt.prompt', 'default-password-change-field-password'],
  ['authentik_stages_prompt.prompt', 'default-password-change-field-password-repeat'],
  ['authentik_stages_prompt.promptstage', 'default-password-change-prompt'],
  [
    'authentik_stages_authenticator_webauthn.authenticatorwebauthnstage',
    'default-authenticator-webauthn-setup',
  ],
  [
    'authentik_stages_authenticator_totp.authenticatortotpstage',
    'default-authenticator-totp-setup',
  ],
  [
    'authentik_stages_authenticator_validate.authenticatorvalidatestage',
    'default-authentication-mfa-validation',
  ],
  ['authentik_stages_identification.identificationstage', 'default-authentication-identification'],
  ['authentik_stages_user_login.userloginstage', 'default-authentication-login'],
] as const

const profileExpression = `return {
    "name": request.user.name,
    "given_name": request.user.name,
    "preferred_username": request.user.username,
    "nickname": request.user.username,
    "groups": [group.name for group in request.user.groups.all()],
}`

const scopes = [
  [
    'openid',
    "authentik default OAuth Mapping: OpenID 'openid'",
    '# This scope is required by the OpenID-spec\nreturn {}',
  ],
  [
    'email',
    "authentik default OAuth Mapping: OpenID 'email'",
    'return {"email": request.user.email, "email_verified": False}',
  ],
  ['profile', "authentik default OAuth Mapping: OpenID 'profile'", profileExpression],
  ['offline_access', "authentik default OAuth Mapping: OpenID 'offline_access'", 'return {}'],
  [
    'entitlements',
    'authentik default OAuth Mapping: Application Entitlements',
    'return {"entitlements": [], "roles": []}',
  ],
] as const

/** The demo tenants' groups look as provisioning left them: marked with the tenant's slug. */
function marks(group: string): Record<string, string> {
  return demoTenantSlugs.some((slug) => slug === group) ? { tenant: group } : {}
}

/** The records of a fresh installation, with the demo people and both portals when asked for. */
export function seedRecords(options: SeedOptions): IdentityRecords {
  const records = emptyRecords()
  records.signingKeys = options.signingKeys
  const at = new Date(options.now).toISOString()
  const next = () => {
    records.lastPk += 1
    return records.lastPk
  }

  records.flows = flows
    .filter(
      ([, designation]) =>
        designation !== 'recovery' || options.recoveryFlow || options.seed === 'demo',
    )
    .map(([slug, designation, title]) => ({ pk: newUuid(), slug, name: title, title, designation }))
  const flow = (slug: string) => records.flows.find((one) => one.slug === slug)?.pk ?? ''
  records.mappings = scopes.map(([scope, name, expression]) => ({
    pk: newUuid(),
    managed: `goauthentik.io/providers/oauth2/scope-${scope}`,
    name,
    scope_name: scope,
    description: '',
    expression,
  }))
  records.mappings.push({
    pk: newUuid(),
    managed: 'goauthentik.io/providers/oauth2/scope-authentik_api',
    name: 'authentik default OAuth Mapping: authentik API access',
    scope_name: 'goauthentik.io/api',
    description: 'authentik API Access on behalf of your user',
    expression: 'return {}',
  })
  records.objects = ownParts.map(([model, name]) => ({ model, fields: { pk: newUuid(), name } }))
  records.keypairs = [{ pk: newUuid(), name: 'authentik Self-signed Certificate', managed: null }]
  records.brands = [
    {
      brand_uuid: newUuid(),
      domain: 'authentik-default',
      default: true,
      branding_title: 'authentik',
      flow_authentication: flow('default-authentication-flow'),
      flow_invalidation: flow('default-invalidation-flow'),
      flow_recovery: options.recoveryFlow ? flow('default-recovery-flow') : null,
      flow_unenrollment: null,
      flow_user_settings: null,
      flow_device_code: null,
      attributes: {},
    },
  ]

  const addGroup = (name: string, isSuperuser = false): GroupRecord => {
    const existing = records.groups.find((group) => group.name === name)
    if (existing) return existing
    const group = {
      pk: newUuid(),
      num_pk: next() + 10_000,
      name,
      is_superuser: isSuperuser,
      parents: [],
      attributes: marks(name),
      roles: [],
    }
    records.groups.push(group)
    return group
  }
  const addUser = (
    user: Pick<UserRecord, 'username' | 'name' | 'email' | 'type'> & {
      groups: string[]
      uid?: string
    },
  ): UserRecord => {
    const pk = next()
    const record = {
      ...user,
      pk,
      uuid: newUuid(),
      uid: user.uid ?? hashedUserId(pk, records.secret),
      path: 'users',
      groups: user.groups.map((name) => addGroup(name).pk),
      attributes: {},
      is_active: true,
      password: null,
      date_joined: at,
      last_login: null,
      password_change_date: at,
      last_updated: at,
    }
    records.users.push(record)
    return record
  }

  addGroup('authentik Admins', true)
  const admin = addUser({
    username: 'akadmin',
    name: 'authentik Default Admin',
    email: '',
    type: 'internal',
    groups: ['authentik Admins'],
  })
  // The service account is no superuser, as docs/how-to/operate.md asks: it does not see other
  // people's tokens.
  const service = addUser({
    username: 'atrium',
    name: 'Atrium',
    email: '',
    type: 'service_account',
    groups: [],
  })
  records.tokens = [
    { key: demoServiceCredentials.identityToken, user: service.pk },
    { key: demoServiceCredentials.identityAdminToken, user: admin.pk },
  ]
  if (options.seed === 'empty') return records

  for (const person of demoPeople) {
    const user = addUser({
      username: person.email,
      name: person.name,
      email: person.email,
      type: 'internal',
      groups: [...person.groups],
      uid: person.subject,
    })
    user.password = hashPassword(demoPassword)
  }
  addDevices(records, at)
  if (options.history) addHistoricPeople(options.history, { records, addGroup, addUser, at })
  records.mappings.push({
    pk: newUuid(),
    managed: null,
    name: 'Atrium groups',
    scope_name: 'groups',
    description: '',
    expression: 'return {"groups": [group.name for group in request.user.groups.all()]}',
  })
  for (const [key, client] of Object.entries(demoClients)) {
    const origin = key === 'portal' ? options.apps.portal : options.apps.operator
    const provider: ProviderRecord = {
      pk: next(),
      name: client.slug,
      authentication_flow: null,
      authorization_flow: flow('default-provider-authorization-implicit-consent'),
      invalidation_flow: flow('default-invalidation-flow'),
      property_mappings: records.mappings
        .filter((mapping) =>
          ['openid', 'email', 'profile', 'groups', 'offline_access'].includes(mapping.scope_name),
        )
        .map((mapping) => mapping.pk),
      client_type: 'confidential',
      grant_types: ['authorization_code', 'refresh_token'],
      client_id: client.clientId,
      client_secret: client.clientSecret,
      access_code_validity: 'minutes=1',
      access_token_validity: `seconds=${options.accessTokenSeconds}`,
      refresh_token_validity: 'days=30',
      refresh_token_threshold: 'seconds=0',
      include_claims_in_id_token: true,
      signing_key: records.keypairs[0]?.pk ?? null,
      encryption_key: null,
      redirect_uris: [
        {
          matching_mode: 'strict',
          url: `${origin}/auth/callback`,
          redirect_uri_type: 'authorization',
        },
        {
          matching_mode: 'regex',
          url: `${origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(/.*)?`,
          redirect_uri_type: 'logout',
        },
      ],
      logout_uri: `${origin}/auth/backchannel-logout`,
      logout_method: 'backchannel',
      sub_mode: 'hashed_user_id',
      issuer_mode: 'per_provider',
    }
    records.providers.push(provider)
    records.applications.push(seedApplication(client.slug, provider.pk, origin))
  }
  addCommandLine(records, next())
  return records
}

/** The application of the command line as our blueprint makes it, and the flow of its codes. */
function addCommandLine({ providers, applications, flows, brands }: IdentityRecords, pk: number) {
  const [portal] = providers
  const [application] = applications
  if (!portal || !application) throw new Error('the portal has no application')
  const { clientId, slug } = commandLineClient
  const flow = (name: string, designation: string): string => {
    const record = { pk: newUuid(), slug: name, name, title: name, designation }
    flows.push(record)
    return record.pk
  }
  providers.push({
    ...portal,
    pk,
    name: slug,
    authorization_flow: flow('atrium-device-authorization', 'authorization'),
    client_type: 'public',
    grant_types: [deviceCodeGrant, 'refresh_token'],
    client_id: clientId,
    access_code_validity: 'minutes=10',
    redirect_uris: [],
    logout_uri: '',
  })
  applications.push({
    ...application,
    pk: newUuid(),
    name: 'Atrium command line',
    slug,
    provider: pk,
    meta_launch_url: 'blank://blank',
  })
  const code = flow('atrium-device-code', 'stage_configuration')
  for (const brand of brands) brand.flow_device_code = code
}

interface Adding {
  readonly records: IdentityRecords
  readonly addGroup: (name: string) => GroupRecord
  readonly addUser: (
    user: Pick<UserRecord, 'username' | 'name' | 'email' | 'type'> & {
      groups: string[]
      uid?: string
    },
  ) => UserRecord
  readonly at: string
}

function addHistoricPeople(
  { companies, partners }: DemoHistory,
  { records, addGroup, addUser, at }: Adding,
): void {
  const groups = [
    ...companies.map(({ slug, people }) => ({ name: slug, attributes: { tenant: slug }, people })),
    ...partners.map(({ staff }) => ({ name: 'partner-staff', attributes: {}, people: staff })),
  ]
  for (const { name, attributes, people } of groups) {
    Object.assign(addGroup(name).attributes, attributes)
    for (const person of people) {
      const { email, subject: uid, lastSeenAt } = person
      const user = addUser({
        username: email,
        name: person.name,
        email,
        type: 'internal',
        groups: [name],
        uid,
      })
      user.last_login = lastSeenAt?.toISOString() ?? null
      if (!person.secondFactor) continue
      records.lastPk += 1
      records.devices.push({
        pk: String(records.lastPk),
        user: user.pk,
        kind: 'totp',
        name: 'Phone',
        confirmed: true,
        created: at,
        last_updated: at,
        last_used: null,
      })
    }
  }
}

/**
 * Every state a reader must tell apart: a real second factor, recovery codes, one that was never
 * confirmed.
 */
function addDevices(records: IdentityRecords, at: string): void {
  const devices = [
    ['operator@atrium.test', 'totp', 'Phone', true],
    ['owner@acme.test', 'webauthn', 'Security key', true],
    ['owner@acme.test', 'static', 'Recovery codes', true],
    ['admin@acme.test', 'totp', 'Old phone', false],
    ['owner@globex.test', 'static', 'Recovery codes', true],
  ] as const
  for (const [email, kind, name, confirmed] of devices) {
    const user = records.users.find((one) => one.email === email)
    if (!user) continue
    records.lastPk += 1
    records.devices.push({
      pk: String(records.lastPk),
      user: user.pk,
      kind,
      name,
      confirmed,
      created: at,
      last_updated: at,
      last_used: null,
    })
  }
}

function seedApplication(slug: string, provider: number, origin: string): ApplicationRecord {
  const name = slug === demoClients.portal.slug ? 'Atrium' : 'Atrium for operators'
  return {
    pk: newUuid(),
    name,
    slug,
    provider,
    group: '',
    policy_engine_mode: 'any',
    open_in_new_tab: false,
    meta_launch_url: origin,
    meta_icon: '',
    meta_description: '',
    meta_publisher: '',
    meta_hide: false,
  }
}
