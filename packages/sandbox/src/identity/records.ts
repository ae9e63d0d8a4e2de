import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { JWK } from 'jose'
import type { JsonObject } from './json.ts'

/**
 * Wire names are kept as they are in authentik, so that a record reads like its answer. Times are
 * ISO 8601.
 */
export interface UserRecord {
  pk: number
  uuid: string
  /** 64 hex characters; the `sub` claim of every application. */
  uid: string
  username: string
  name: string
  email: string
  type: string
  path: string
  /** Group pks. */
  groups: string[]
  /** Role pks; absent for none. */
  roles?: string[]
  attributes: JsonObject
  is_active: boolean
  /** `salt:hash`, null while unusable. */
  password: string | null
  date_joined: string
  last_login: string | null
  password_change_date: string
  last_updated: string
}

export interface GroupRecord {
  pk: string
  num_pk: number
  name: string
  is_superuser: boolean
  parents: string[]
  attributes: JsonObject
  roles: string[]
}

export const deviceKinds = ['totp', 'webauthn', 'static', 'sms', 'email', 'duo'] as const
export type DeviceKind = (typeof deviceKinds)[number]

export interface DeviceRecord {
  pk: string
  user: number
  kind: DeviceKind
  name: string
  confirmed: boolean
  created: string
  last_updated: string
  last_used: string | null
}

export interface FlowRecord {
  pk: string
  slug: string
  name: string
  title: string
  designation: string
}

export interface MappingRecord {
  pk: string
  managed: string | null
  name: string
  scope_name: string
  description: string
  expression: string
}

export interface KeypairRecord {
  pk: string
  name: string
  managed: string | null
}

export interface BrandRecord {
  brand_uuid: string
  domain: string
  default: boolean
  branding_title: string
  flow_authentication: string | null
  flow_invalidation: string | null
  flow_recovery: string | null
  flow_unenrollment: string | null
  flow_user_settings: string | null
  flow_device_code: string | null
  attributes: JsonObject
}

export interface RedirectUri {
  matching_mode: string
  url: string
  redirect_uri_type: string
}

export interface ProviderRecord {
  pk: number
  name: string
  authentication_flow: string | null
  authorization_flow: string
  invalidation_flow: string
  property_mappings: string[]
  client_type: string
  grant_types: string[]
  client_id: string
  client_secret: string
  access_code_validity: string
  access_token_validity: string
  refresh_token_validity: string
  refresh_token_threshold: string
  include_claims_in_id_token: boolean
  signing_key: string | null
  encryption_key: string | null
  redirect_uris: RedirectUri[]
  logout_uri: string
  logout_method: string
  sub_mode: string
  issuer_mode: string
}

export interface ApplicationRecord {
  pk: string
  name: string
  slug: string
  provider: number | null
  group: string
  policy_engine_mode: string
  open_in_new_tab: boolean
  meta_launch_url: string
  meta_icon: string
  meta_description: string
  meta_publisher: string
  meta_hide: boolean
}

export interface BindingRecord {
  pk: string
  policy: string | null
  group: string | null
  user: number | null
  target: string
  negate: boolean
  enabled: boolean
  order: number
  timeout: number
  failure_result: boolean
  expires: string | null
  expiring: boolean
}

/** A record of a model that nothing here acts on: stages, prompts, policies, roles. */
export interface ObjectRecord {
  model: string
  /** With its `pk`. */
  fields: JsonObject
}

export interface BlueprintRecord {
  pk: string
  name: string
  content: string
  context: JsonObject
  enabled: boolean
  status: string
  last_applied: string
  /** What the last run complained about. */
  logs: string[]
}

/**
 * A signed-in browser (or a token made by the control API): one row of
 * `/core/authenticated_sessions/`.
 */
export interface LoginRecord {
  uuid: string
  /** Stays the same while the session id in the cookie changes. */
  uid: string
  user: number
  /** Seconds since 1970: the `auth_time` claim. */
  authTime: number
  /** `authTime` of the sign-in that was to be renewed last. */
  renewed?: number
  expires: string
  last_used: string
  last_ip: string
  last_user_agent: string
  /** Name of the control call that made it, for sessions that have no browser. */
  madeFor?: string
}

/** One row of `/oauth2/access_tokens/`; the token itself is a JWT that its holder keeps. */
export interface AccessTokenRecord {
  pk: number
  jti: string
  user: number
  provider: number
  scope: string
  /** `uid` of the login; null once that has ended. */
  session: string | null
  /** Seconds since 1970. */
  exp: number
}

/**
 * What the OpenID provider stores under its own ids: sessions, grants, codes, refresh tokens,
 * sign-ins under way.
 */
export interface ArtifactRecord {
  pk: number
  model: string
  id: string
  /** Milliseconds since 1970; null when it does not expire. */
  expires: number | null
  payload: Record<string, unknown>
}

export interface SigningKey {
  kid: string
  created: string
  privateJwk: JWK
}

export interface IdentityRecords {
  secret: string
  cookieKey: string
  lastPk: number
  users: UserRecord[]
  groups: GroupRecord[]
  devices: DeviceRecord[]
  flows: FlowRecord[]
  mappings: MappingRecord[]
  keypairs: KeypairRecord[]
  brands: BrandRecord[]
  providers: ProviderRecord[]
  applications: ApplicationRecord[]
  bindings: BindingRecord[]
  logins: LoginRecord[]
  accessTokens: AccessTokenRecord[]
  /** By `<model>:<id>`. */
  artifacts: Record<string, ArtifactRecord>
  /** Recovery tokens by user pk. */
  recoveryTokens: Record<string, { key: string; expires: string }>
  /** API tokens: key and owner. */
  tokens: { key: string; user: number; identifier?: string }[]
  objects: ObjectRecord[]
  blueprints: BlueprintRecord[]
  /** Newest first; the newest signs, all are published. */
  signingKeys: SigningKey[]
}

/** The records of one identity system, and what every part of it needs beside them. */
export interface Store {
  /** Replaced as a whole by `load` and `reset`: read it again in each call. */
  records: IdentityRecords
  readonly now: () => number
  readonly changed: () => void
  readonly origin: () => string
}

/** A number not used before in this system, for integer keys. */
export function nextPk(store: Store): number {
  store.records.lastPk += 1
  return store.records.lastPk
}

export function isoNow(store: Store): string {
  return new Date(store.now()).toISOString()
}

/**
 * The `uid` of a user that is made here: as authentik's hashed user id, 64 hex characters that tell
 * nothing.
 */
export function hashedUserId(pk: number, secret: string): string {
  return createHash('sha256').update(`${pk}-${secret}`).digest('hex')
}

/** The `sid` claim: one for all applications of a login, and not the key of the session itself. */
export function sessionIdClaim(uid: string): string {
  return createHash('sha256').update(uid).digest('hex')
}

/** `length` letters and digits from a CSPRNG. */
export function randomText(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}

export function emptyRecords(): IdentityRecords {
  return {
    secret: randomBytes(32).toString('hex'),
    cookieKey: randomBytes(32).toString('hex'),
    lastPk: 0,
    users: [],
    groups: [],
    devices: [],
    flows: [],
    mappings: [],
    keypairs: [],
    brands: [],
    providers: [],
    applications: [],
    bindings: [],
    logins: [],
    accessTokens: [],
    artifacts: {},
    recoveryTokens: {},
    tokens: [],
    objects: [],
    blueprints: [],
    signingKeys: [],
  }
}

export const newUuid: () => string = randomUUID
