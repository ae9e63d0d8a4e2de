import { parseDuration } from '../duration.ts'
import { nextPk, type ProviderRecord, randomText, type Store } from '../records.ts'
import { invalid, missing } from './errors.ts'
import {
  choice,
  type Fields,
  flag,
  list,
  nested,
  nullable,
  readFields,
  reference,
  required,
  text,
  type Values,
} from './fields.ts'
import { exact, order, paginate, search } from './lists.ts'
import { providerView } from './provider-view.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'

const grantTypes = [
  'authorization_code',
  'implicit',
  'hybrid',
  'refresh_token',
  'client_credentials',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const

const duration = { max: 255, blank: false }

function isValidPattern(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

function redirectUri() {
  const fields = {
    matching_mode: required(choice('strict', 'regex')),
    url: required(text()),
    redirect_uri_type: choice('authorization', 'logout'),
  } satisfies Fields
  return nested(fields, ({ matching_mode, url }) =>
    matching_mode === 'regex' && !isValidPattern(url ?? '')
      ? { url: [`Invalid Regex Pattern: ${url}`] }
      : undefined,
  )
}

function providerFields({ records }: Store) {
  const flow = reference((pk) => records.flows.some((one) => one.pk === pk))
  const keypair = reference((pk) => records.keypairs.some((one) => one.pk === pk))
  return {
    name: required(text()),
    authentication_flow: nullable(flow),
    authorization_flow: required(flow),
    invalidation_flow: required(flow),
    property_mappings: list(
      reference((pk) => records.mappings.some((one) => one.pk === pk)),
      { flat: true },
    ),
    client_type: choice('confidential', 'public'),
    grant_types: list(choice(...grantTypes)),
    client_id: text({ max: 255 }),
    client_secret: text({ max: 255, blank: true }),
    access_code_validity: text(duration),
    access_token_validity: text(duration),
    refresh_token_validity: text(duration),
    refresh_token_threshold: text(duration),
    include_claims_in_id_token: flag(),
    signing_key: nullable(keypair),
    encryption_key: nullable(keypair),
    redirect_uris: required(list(redirectUri())),
    logout_uri: text({
      blank: true,
      pattern: /^https?:\/\/[^\s]+$/,
      message: 'Enter a valid URL.',
    }),
    logout_method: choice('backchannel', 'frontchannel'),
    sub_mode: choice(
      'hashed_user_id',
      'user_id',
      'user_uuid',
      'user_username',
      'user_email',
      'user_upn',
    ),
    issuer_mode: choice('global', 'per_provider'),
  } satisfies Fields
}

export type ProviderValues = Values<ReturnType<typeof providerFields>>

/** The fields of a provider, checked. Throws 400 with all faults. */
export function readProvider(
  store: Store,
  body: unknown,
  options: { partial?: boolean; self?: ProviderRecord } = {},
): ProviderValues {
  const values = readFields(providerFields(store), body, options)
  const errors: Record<string, string[]> = {}
  const others = store.records.providers.filter((one) => one !== options.self)
  if (others.some((one) => one.name === values.name))
    errors.name = ['provider with this name already exists.']
  if (others.some((one) => one.client_id === values.client_id))
    errors.client_id = ['OAuth2/OpenID Provider with this client id already exists.']
  for (const name of [
    'access_code_validity',
    'access_token_validity',
    'refresh_token_validity',
    'refresh_token_threshold',
  ] as const) {
    const provided = values[name]
    if (provided !== undefined && parseDuration(provided) === undefined)
      errors[name] = [`${provided} is not in the correct format of 'hours=3;minutes=1'.`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return values
}

/**
 * A provider from checked fields, with authentik's defaults: no grant types, no signing key, no
 * mappings.
 */
export function makeProvider(store: Store, values: ProviderValues): ProviderRecord {
  return {
    pk: nextPk(store),
    name: values.name ?? '',
    authentication_flow: values.authentication_flow ?? null,
    authorization_flow: values.authorization_flow ?? '',
    invalidation_flow: values.invalidation_flow ?? '',
    property_mappings: values.property_mappings ?? [],
    client_type: values.client_type ?? 'confidential',
    grant_types: values.grant_types ?? [],
    client_id: values.client_id ?? randomText(40),
    client_secret: values.client_secret ?? randomText(128),
    access_code_validity: values.access_code_validity ?? 'minutes=1',
    access_token_validity: values.access_token_validity ?? 'hours=1',
    refresh_token_validity: values.refresh_token_validity ?? 'days=30',
    refresh_token_threshold: values.refresh_token_threshold ?? 'seconds=0',
    include_claims_in_id_token: values.include_claims_in_id_token ?? true,
    signing_key: values.signing_key ?? null,
    encryption_key: values.encryption_key ?? null,
    redirect_uris: redirectUris(values),
    logout_uri: values.logout_uri ?? '',
    logout_method: values.logout_method ?? 'backchannel',
    sub_mode: values.sub_mode ?? 'hashed_user_id',
    issuer_mode: values.issuer_mode ?? 'per_provider',
  }
}

function redirectUris(values: ProviderValues): ProviderRecord['redirect_uris'] {
  return (values.redirect_uris ?? []).map((uri) => ({
    matching_mode: uri.matching_mode ?? 'strict',
    url: uri.url ?? '',
    redirect_uri_type: uri.redirect_uri_type ?? 'authorization',
  }))
}

function find({ store, params }: ApiCall): ProviderRecord {
  const provider = store.records.providers.find((one) => String(one.pk) === params.pk)
  if (!provider) throw missing('OAuth2Provider')
  return provider
}

function update(call: ApiCall, partial: boolean) {
  const provider = find(call)
  const values = readProvider(call.store, call.body, { partial, self: provider })
  Object.assign(provider, values, values.redirect_uris && { redirect_uris: redirectUris(values) })
  return ok(providerView(call.store, provider))
}

export const providerResources: readonly Resource[] = [
  {
    path: 'providers/oauth2/',
    GET({ store, query }) {
      let rows = exact(query, store.records.providers, 'name', (provider) => provider.name)
      rows = exact(query, rows, 'client_id', (provider) => provider.client_id)
      rows = exact(query, rows, 'client_type', (provider) => provider.client_type)
      rows = search(query, rows, (provider) => [provider.name, provider.client_id])
      rows = order(query, rows, {
        name: (provider) => provider.name,
        pk: (provider) => provider.pk,
      })
      return paginate(query, rows, (provider) => providerView(store, provider))
    },
    POST({ store, body }) {
      const provider = makeProvider(store, readProvider(store, body))
      store.records.providers.push(provider)
      return created(providerView(store, provider))
    },
  },
  {
    path: 'providers/oauth2/:pk/',
    GET: (call) => ok(providerView(call.store, find(call))),
    PUT: (call) => update(call, false),
    PATCH: (call) => update(call, true),
    DELETE(call) {
      const provider = find(call)
      const { records } = call.store
      records.providers = records.providers.filter((one) => one !== provider)
      records.accessTokens = records.accessTokens.filter((token) => token.provider !== provider.pk)
      for (const application of records.applications)
        if (application.provider === provider.pk) application.provider = null
      return done
    },
  },
  {
    path: 'providers/oauth2/:pk/setup_urls/',
    GET(call) {
      const provider = find(call)
      const application = call.store.records.applications.find(
        (one) => one.provider === provider.pk,
      )
      const base = application ? `${call.store.origin()}/application/o/${application.slug}/` : null
      const at = (path: string) => (base === null ? null : `${base}${path}`)
      return ok({
        issuer: base,
        authorize: at('authorize/'),
        token: at('token/'),
        user_info: `${call.store.origin()}/application/o/userinfo/`,
        provider_info: at('.well-known/openid-configuration'),
        logout: at('end-session/'),
        jwks: at('jwks/'),
      })
    },
  },
]
