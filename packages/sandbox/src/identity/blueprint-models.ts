import { makeApplication } from './api/applications.ts'
import { makeBinding } from './api/bindings.ts'
import { makeProvider } from './api/providers.ts'
import type { Json, JsonObject } from './json.ts'
import {
  hashedUserId,
  isoNow,
  newUuid,
  nextPk,
  type ObjectRecord,
  randomText,
  type Store,
} from './records.ts'

export type Row = Record<string, Json>

const tables = {
  'authentik_core.group': 'groups',
  'authentik_core.user': 'users',
  'authentik_core.token': 'tokens',
  'authentik_core.application': 'applications',
  'authentik_flows.flow': 'flows',
  'authentik_brands.brand': 'brands',
  'authentik_crypto.certificatekeypair': 'keypairs',
  'authentik_policies.policybinding': 'bindings',
  'authentik_providers_oauth2.oauth2provider': 'providers',
  'authentik_providers_oauth2.scopemapping': 'mappings',
} as const
type Model = keyof typeof tables

const isTable = (model: string): model is Model => Object.hasOwn(tables, model)

/** The records of a model, each by the names of its fields. */
export function rowsOf({ records }: Store, model: string): Row[] {
  if (isTable(model)) return records[tables[model]] as unknown as Row[]
  return records.objects.filter((one) => one.model === model).map(({ fields }) => fields)
}

/** The key by which others reference a row. */
export function pkOf(row: Row): Json {
  return row.pk ?? row.brand_uuid ?? null
}

/** Adds a row with the defaults of its model. */
export function newRow(store: Store, model: string, values: JsonObject): Row {
  const row = isTable(model)
    ? makers[model](store, values)
    : addObject(store, model, { pk: newUuid(), ...values })
  if (isTable(model)) rowsOf(store, model).push(row)
  return row
}

/** Adds a record of a model that nothing here reads, such as a stage or a policy. */
export function addObject({ records }: Store, model: string, fields: ObjectRecord['fields']): Row {
  records.objects.push({ model, fields })
  return fields
}

const makers: Record<Model, (store: Store, values: JsonObject) => Row> = {
  'authentik_core.group': (store, values) => ({
    pk: newUuid(),
    num_pk: nextPk(store) + 10_000,
    is_superuser: false,
    parents: [],
    attributes: {},
    roles: [],
    ...values,
  }),
  'authentik_core.user': (store, values) => {
    const pk = nextPk(store)
    const at = isoNow(store)
    return {
      pk,
      uuid: newUuid(),
      uid: hashedUserId(pk, store.records.secret),
      name: '',
      email: '',
      type: 'internal',
      path: 'users',
      groups: [],
      roles: [],
      attributes: {},
      is_active: true,
      password: null,
      date_joined: at,
      last_login: null,
      password_change_date: at,
      last_updated: at,
      ...values,
    }
  },
  'authentik_core.token': (_, values) => ({ key: randomText(60), ...values }),
  'authentik_core.application': (_, values) => ({
    ...(makeApplication({ ...values, policy_engine_mode: 'any' } as never) as unknown as Row),
    ...values,
  }),
  'authentik_flows.flow': (_, values) => ({ pk: newUuid(), ...values }),
  'authentik_brands.brand': (_, values) => ({ brand_uuid: newUuid(), ...values }),
  'authentik_crypto.certificatekeypair': (_, values) => ({
    pk: newUuid(),
    managed: null,
    ...values,
  }),
  'authentik_policies.policybinding': (_, { target, ...values }) => ({
    ...(makeBinding(values as never, String(target)) as unknown as Row),
    policy: values.policy ?? null,
  }),
  'authentik_providers_oauth2.oauth2provider': (store, values) => ({
    ...(makeProvider(store, values as never) as unknown as Row),
    ...values,
  }),
  'authentik_providers_oauth2.scopemapping': (_, values) => ({
    pk: newUuid(),
    managed: null,
    description: '',
    ...values,
  }),
}
