import { supportedVersions, versionSupport } from '@atrium/core/system/supported-versions'
import { z } from 'zod'
import { UpstreamError } from '../upstream-error.ts'
import { blueprintName, type SetupCalls, setupCalls } from './authentik-setup-calls.ts'
import { checkCommandLine } from './authentik-setup-command-line.ts'
import {
  again,
  type Check,
  type CheckSetup,
  error,
  ok,
  type SetupFinding,
  warning,
} from './authentik-setup-findings.ts'
import { checkAccountFlows, checkCountries, checkSignInPage } from './authentik-setup-pages.ts'
import { neededPermissions } from './authentik-setup-permissions.ts'

/**
 * Compares an authentik with what Atrium needs, one finding per need. A need that cannot be looked
 * at is an error of its own. Changes nothing.
 */
export async function checkSetup(setup: CheckSetup): Promise<SetupFinding[]> {
  const calls = setupCalls(setup)
  const findings: SetupFinding[] = []
  for (const [need, check] of checks) {
    try {
      findings.push(...(await check(calls, setup)))
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      findings.push(error(need, `could not be read: ${cause.message}`))
    }
  }
  return findings
}

const checks: readonly (readonly [need: string, check: Check])[] = [
  ['version', checkVersion],
  ['blueprint', checkBlueprint],
  ['application atrium-portal', (calls, { portalUrl }) => checkClient(calls, 'portal', portalUrl)],
  [
    'application atrium-operator',
    (calls, { operatorUrl }) => checkClient(calls, 'operator', operatorUrl),
  ],
  ['access to atrium-operator', checkOperatorAccess],
  ['sign-in of the command line', checkCommandLine],
  ['claims and size of tokens', checkClaims],
  ['groups', checkGroups],
  ['sign-in flow', (calls) => checkFlow(calls, 'default-authentication-flow', signInStages)],
  ['recovery flow', (calls) => checkFlow(calls, 'atrium-recovery', recoveryStages)],
  ['sign-in page', checkSignInPage],
  ['flows of the account pages', checkAccountFlows],
  ['brand', checkBrand],
  ['password rule of the user settings', checkPasswordRule],
  ['countries', checkCountries],
  ['service account', checkServiceAccount],
  ['IDP_API_TOKEN', checkApiToken],
]

async function checkVersion(calls: SetupCalls): Promise<SetupFinding[]> {
  const version = await calls.send({
    method: 'GET',
    path: 'admin/version/',
    read: ({ json }) => z.object({ version_current: z.string() }).parse(json).version_current,
  })
  const need = `version ${version}`
  const { oldest, newest } = supportedVersions.authentik
  const support = versionSupport('authentik', version)
  if (support === 'supported') return [ok(need)]
  return support === 'untried'
    ? [warning(need, `is newer than ${newest}, the newest one that was tried.`)]
    : [error(need, `is older than ${oldest}. Upgrade authentik.`)]
}

const Blueprint = z.object({
  name: z.string(),
  status: z.string(),
  enabled: z.boolean(),
  content: z.string(),
})

async function checkBlueprint(calls: SetupCalls, { content }: CheckSetup): Promise<SetupFinding[]> {
  const need = 'blueprint'
  const rows = await calls.list('managed/blueprints/', { name: blueprintName }, Blueprint)
  const found = rows.find(({ name }) => name === blueprintName)
  if (!found) return [error(need, `was never applied. ${again}`)]
  if (found.status !== 'successful') return [error(need, `failed (${found.status}). ${again}`)]
  // authentik trims texts when it saves them.
  if (found.content.trim() !== content.trim())
    return [warning(need, `is not the one of this version. ${again}`)]
  return [ok(need)]
}

const neededScopes = ['openid', 'email', 'profile', 'offline_access']
const neededGrants = ['authorization_code', 'refresh_token']

const OAuthProvider = z.object({
  pk: z.int(),
  name: z.string(),
  client_type: z.string(),
  /** Absent before 2026.5. */
  grant_types: z.array(z.string()).optional(),
  signing_key: z.string().nullable(),
  invalidation_flow: z.string(),
  issuer_mode: z.string(),
  include_claims_in_id_token: z.boolean(),
  property_mappings: z.array(z.string()),
  redirect_uris: z.array(z.object({ url: z.string() })),
  logout_uri: z.string().nullish(),
})

async function findClient(calls: SetupCalls, name: string) {
  const rows = await calls.list('providers/oauth2/', { name }, OAuthProvider)
  return rows.find((row) => row.name === name)
}

async function checkClient(
  calls: SetupCalls,
  app: 'portal' | 'operator',
  url: string,
): Promise<SetupFinding[]> {
  const need = `application atrium-${app}`
  const found = await findClient(calls, `atrium-${app}`)
  if (!found) return [error(need, `is missing. ${again}`)]
  const mappings = await calls.list(
    'propertymappings/provider/scope/',
    {},
    z.object({ pk: z.string(), scope_name: z.string() }),
  )
  const scopes = mappings
    .filter(({ pk }) => found.property_mappings.includes(pk))
    .map(({ scope_name }) => scope_name)
  const lacking = neededScopes.filter((scope) => !scopes.includes(scope))
  const grants = neededGrants.filter((grant) => found.grant_types?.includes(grant) === false)
  const [signOut] = await calls.list(
    'flows/instances/',
    { slug: 'default-invalidation-flow' },
    z.object({ pk: z.string() }),
  )
  const faults = [
    ...(found.invalidation_flow === signOut?.pk
      ? []
      : ['leaves people signed in at authentik when they sign out']),
    ...(lacking.length > 0 ? [`lacks the scope ${lacking.join(', ')}`] : []),
    ...(grants.length > 0 ? [`lacks the grant type ${grants.join(', ')}`] : []),
    ...(found.signing_key === null ? ['has no signing key'] : []),
    ...(found.client_type === 'confidential' ? [] : ['is no confidential client']),
    ...(found.issuer_mode === 'per_provider' ? [] : ['shares its issuer']),
    ...(found.include_claims_in_id_token ? [] : ['leaves the claims out of its tokens']),
    ...(found.redirect_uris.some((one) => one.url === `${url}/auth/callback`)
      ? []
      : [`does not return to ${url}/auth/callback`]),
    ...(found.logout_uri === `${url}/auth/backchannel-logout`
      ? []
      : ['does not tell the portal of sign-outs']),
  ]
  return faults.length === 0 ? [ok(need)] : [error(need, `${faults.join('; ')}. ${again}`)]
}

async function checkOperatorAccess(
  calls: SetupCalls,
  { platformAdminGroup }: CheckSetup,
): Promise<SetupFinding[]> {
  const need = 'access to atrium-operator'
  const application = await calls.send({
    method: 'GET',
    path: 'core/applications/atrium-operator/',
    accept: [200, 404],
    read: ({ status, json }) =>
      status === 404 ? undefined : z.object({ pk: z.string() }).parse(json),
  })
  if (!application) return [error(need, `the application is missing. ${again}`)]
  const bindings = await calls.list(
    'policies/bindings/',
    { target: application.pk },
    z.object({ enabled: z.boolean(), group_obj: z.object({ name: z.string() }).nullish() }),
  )
  return bindings.some(
    ({ enabled, group_obj }) => enabled && group_obj?.name === platformAdminGroup,
  )
    ? [ok(need)]
    : [error(need, `is not limited to the group ${platformAdminGroup}. ${again}`)]
}

/** Above it, proxies with default limits reject requests that carry a token. */
const usualHeaderBytes = 8_000
/** Header and signature of a token (RS256), and what authentik adds when it issues one. */
const tokenOverheadBytes = 800

const Holder = z.object({ pk: z.int(), username: z.string(), groups: z.array(z.string()) })

/** By the claims of the person with the most groups, of the first hundred. */
async function checkClaims(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'claims of tokens'
  const provider = await findClient(calls, 'atrium-portal')
  if (!provider) return [error(need, `the application atrium-portal is missing. ${again}`)]
  const people = await calls.list(
    'core/users/',
    { type: 'internal', include_groups: 'false', include_roles: 'false' },
    Holder,
  )
  const [largest] = people.toSorted((a, b) => b.groups.length - a.groups.length)
  if (!largest) return [warning(need, 'could not be tried: there is no person yet.')]
  const claims = await calls.send({
    method: 'GET',
    path: `providers/oauth2/${provider.pk}/preview_user/`,
    query: { for_user: String(largest.pk) },
    read: ({ json }) =>
      z.object({ preview: z.record(z.string(), z.unknown()) }).parse(json).preview,
  })
  const lacking = ['sub', 'email', 'name', 'groups'].filter((claim) => !(claim in claims))
  const bytes = Math.ceil((JSON.stringify(claims).length * 4) / 3) + tokenOverheadBytes
  const sizeNeed = `size of tokens (${bytes} bytes for ${largest.username})`
  return [
    lacking.length === 0 ? ok(need) : error(need, `lack ${lacking.join(', ')}. ${again}`),
    bytes <= usualHeaderBytes
      ? ok(sizeNeed)
      : warning(sizeNeed, 'exceeds the usual limit of proxies. See "Large tokens".'),
  ]
}

async function checkGroups(
  calls: SetupCalls,
  { platformAdminGroup, partnerStaffGroup }: CheckSetup,
): Promise<SetupFinding[]> {
  const Group = z.object({ name: z.string(), is_superuser: z.boolean() })
  const findings: SetupFinding[] = []
  for (const name of [platformAdminGroup, partnerStaffGroup]) {
    const need = `group ${name}`
    const rows = await calls.list('core/groups/', { name, include_users: 'false' }, Group)
    const found = rows.find((row) => row.name === name)
    if (!found) findings.push(error(need, `is missing. ${again}`))
    else
      findings.push(
        found.is_superuser
          ? error(need, 'gives superuser rights at authentik. Take them away.')
          : ok(need),
      )
  }
  return findings
}

/** Stages by name with the policy that decides about each; undefined for those without one. */
const signInStages: Readonly<Record<string, string | undefined>> = {
  'atrium-access-rejected': 'atrium-access-rejected',
  'atrium-temporary-password-expired': 'atrium-temporary-password-expired',
  'atrium-second-factor-missing': 'atrium-second-factor-missing',
  'atrium-choose-password': 'atrium-password-change-required',
  'atrium-write-password': 'atrium-write-first-password',
  'default-authentication-login': 'atrium-passkey-factors',
}
const recoveryStages: Readonly<Record<string, string | undefined>> = {
  'atrium-recovery-identification': 'atrium-recovery-without-link',
  'atrium-recovery-email': undefined,
  'atrium-recovery-rejected': 'atrium-recovery-inactive',
  'atrium-access-rejected': 'atrium-access-rejected',
  'atrium-choose-password': undefined,
  'atrium-write-password': 'atrium-clear-temporary-password',
  'default-authentication-mfa-validation': undefined,
  'atrium-second-factor-missing': 'atrium-second-factor-missing',
  'default-authentication-login': 'atrium-recovery-target',
}

const StageBinding = z.object({
  policybindingmodel_ptr_id: z.string(),
  stage_obj: z.object({ name: z.string() }),
  re_evaluate_policies: z.boolean(),
})
const PolicyOfStage = z.object({
  enabled: z.boolean(),
  negate: z.boolean(),
  failure_result: z.boolean(),
  policy_obj: z.object({ name: z.string() }).nullish(),
})

async function checkFlow(
  calls: SetupCalls,
  slug: string,
  stages: Readonly<Record<string, string | undefined>>,
): Promise<SetupFinding[]> {
  const need = `flow ${slug}`
  const rows = await calls.list(
    'flows/instances/',
    { slug },
    z.object({ pk: z.string(), slug: z.string() }),
  )
  const flow = rows.find((row) => row.slug === slug)
  if (!flow) return [error(need, `is missing. ${again}`)]
  const bound = await calls.list('flows/bindings/', { target: flow.pk }, StageBinding)
  const findings: SetupFinding[] = []
  for (const [stage, policy] of Object.entries(stages)) {
    const binding = bound.find(({ stage_obj }) => stage_obj.name === stage)
    const what = `${need}: ${stage}`
    if (!binding) findings.push(error(what, `is missing. ${again}`))
    else if (policy === undefined) findings.push(ok(what))
    else findings.push(await checkPolicy(calls, what, binding, policy))
  }
  return findings
}

async function checkPolicy(
  calls: SetupCalls,
  need: string,
  binding: z.infer<typeof StageBinding>,
  policy: string,
): Promise<SetupFinding> {
  const target = binding.policybindingmodel_ptr_id
  const rows = await calls.list('policies/bindings/', { target }, PolicyOfStage)
  const [only, ...others] = rows.filter(({ enabled }) => enabled)
  const asMeant =
    others.length === 0 &&
    only?.policy_obj?.name === policy &&
    !only.negate &&
    only.failure_result &&
    binding.re_evaluate_policies
  return asMeant
    ? ok(need)
    : error(need, `is not decided by the policy ${policy} alone, when it is reached. ${again}`)
}

async function checkBrand(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'recovery flow of the default brand'
  const [brand] = await calls.list(
    'core/brands/',
    { default: 'true' },
    z.object({ flow_recovery: z.string().nullable(), flow_authentication: z.string().nullable() }),
  )
  if (!brand) return [error(need, 'there is no default brand. Make one at authentik.')]
  const flows = await calls.list(
    'flows/instances/',
    {},
    z.object({ pk: z.string(), slug: z.string() }),
  )
  const slugOf = (pk: string | null) => flows.find((flow) => flow.pk === pk)?.slug
  const signIn = slugOf(brand.flow_authentication)
  const findings = [
    brand.flow_recovery === null
      ? error(need, `is not set: no one gets a link. ${again}`)
      : slugOf(brand.flow_recovery) === 'atrium-recovery'
        ? ok(need)
        : warning(need, 'is another one, which may not end temporary passwords.'),
    signIn === 'default-authentication-flow'
      ? ok('sign-in flow of the default brand')
      : error(
          'sign-in flow of the default brand',
          'is another one: the rules of sign-in are bound to default-authentication-flow.',
        ),
  ]
  return findings
}

async function checkPasswordRule(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'password rule of the user settings'
  const Policy = z.object({ pk: z.string(), name: z.string() })
  const Stage = z.object({ name: z.string(), validation_policies: z.array(z.string()).default([]) })
  const rules = await calls.list('policies/password/', { name: 'atrium-password' }, Policy)
  const stages = await calls.list(
    'stages/prompt/stages/',
    { name: 'default-password-change-prompt' },
    Stage,
  )
  const rule = rules.find(({ name }) => name === 'atrium-password')
  const stage = stages.find(({ name }) => name === 'default-password-change-prompt')
  return rule && stage?.validation_policies.includes(rule.pk)
    ? [ok(need)]
    : [warning(need, `is authentik's own, which an upgrade of authentik restores. ${again}`)]
}

const Account = z.object({
  username: z.string(),
  is_active: z.boolean(),
  is_superuser: z.boolean(),
  roles: z.array(z.string()),
})

async function checkServiceAccount(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'service account atrium-service'
  const rows = await calls.list('core/users/', { username: 'atrium-service' }, Account)
  const found = rows.find(({ username }) => username === 'atrium-service')
  if (!found) return [error(need, `is missing. ${again}`)]
  if (!found.is_active) return [error(need, 'is deactivated. Activate it.')]
  if (found.is_superuser) return [error(need, 'is a superuser. Take it out of the group.')]
  const held = new Set<string>()
  for (const role of found.roles) {
    const permissions = await calls.list(
      'rbac/permissions/',
      { role },
      z.object({ app_label: z.string(), codename: z.string() }),
    )
    for (const { app_label, codename } of permissions) held.add(`${app_label}.${codename}`)
  }
  const lacking = neededPermissions.filter((permission) => !held.has(permission))
  const surplus = [...held].filter((one) => !neededPermissions.includes(one))
  return [
    lacking.length === 0 ? ok(need) : error(need, `lacks ${lacking.join(', ')}. ${again}`),
    ...(surplus.length === 0
      ? []
      : [warning(`${need}: least rights`, `has ${surplus.join(', ')} beyond its needs.`)]),
  ]
}

async function checkApiToken(
  _: SetupCalls,
  { baseUrl, apiToken }: CheckSetup,
): Promise<SetupFinding[]> {
  const need = 'IDP_API_TOKEN'
  if (apiToken === undefined)
    return [warning(need, 'is not set, so it was not tried. "credentials" shows it.')]
  const Me = z.object({ user: z.object({ username: z.string(), is_superuser: z.boolean() }) })
  const me = await setupCalls({ baseUrl, token: apiToken }).send({
    method: 'GET',
    path: 'core/users/me/',
    accept: [200, 403],
    read: ({ status, json }) => (status === 403 ? undefined : Me.parse(json).user),
  })
  if (!me) return [error(need, 'is not accepted. "credentials" shows the current one.')]
  if (me.is_superuser) return [error(need, `is of ${me.username}, a superuser. Use its own.`)]
  return me.username === 'atrium-service'
    ? [ok(need)]
    : [warning(need, `is of ${me.username}, whose rights were not checked.`)]
}
