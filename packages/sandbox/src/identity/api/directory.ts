import {
  type BrandRecord,
  type FlowRecord,
  type MappingRecord,
  newUuid,
  type Store,
} from '../records.ts'
import { invalid, missing } from './errors.ts'
import {
  type Fields,
  flag,
  nullable,
  object,
  readFields,
  reference,
  required,
  text,
} from './fields.ts'
import { boolean, choicesFilter, exact, order, paginate, search } from './lists.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'

/**
 * Returns whether the worker has applied the default blueprints yet: before, flows, mappings, keys
 * and brand do not exist.
 */
export type BlueprintsApplied = () => boolean

function flowView(flow: FlowRecord) {
  return {
    pk: flow.pk,
    policybindingmodel_ptr_id: flow.pk,
    name: flow.name,
    slug: flow.slug,
    title: flow.title,
    designation: flow.designation,
    background: '',
    background_url: '',
    background_themed_urls: null,
    stages: [],
    policies: [],
    cache_count: 0,
    policy_engine_mode: 'any',
    compatibility_mode: false,
    export_url: `/api/v3/flows/instances/${flow.slug}/export/`,
    layout: 'stacked',
    denied_action: 'message_continue',
    authentication: 'none',
  }
}

function mappingView(mapping: MappingRecord) {
  return {
    pk: mapping.pk,
    managed: mapping.managed,
    name: mapping.name,
    expression: mapping.expression,
    component: 'ak-property-mapping-provider-scope-form',
    verbose_name: 'Scope Mapping',
    verbose_name_plural: 'Scope Mappings',
    meta_model_name: 'authentik_providers_oauth2.scopemapping',
    scope_name: mapping.scope_name,
    description: mapping.description,
  }
}

function brandView(brand: BrandRecord) {
  return {
    ...brand,
    branding_logo: '/static/dist/assets/icons/icon_left_brand.svg',
    branding_favicon: '/static/dist/assets/icons/icon.png',
    branding_custom_css: '',
    branding_default_flow_background: '/static/dist/assets/images/flow_background.jpg',
    branding_map_tiles: '',
    flow_lockdown: null,
    flow_user_switch: null,
    flow_request: null,
    default_application: null,
    web_certificate: null,
    client_certificates: [],
  }
}

function brandFields({ records }: Store) {
  const flow = nullable(reference((pk) => records.flows.some((one) => one.pk === pk)))
  return {
    domain: required(text()),
    default: flag(),
    branding_title: text({ blank: true }),
    flow_authentication: flow,
    flow_invalidation: flow,
    flow_recovery: flow,
    flow_unenrollment: flow,
    flow_user_settings: flow,
    flow_device_code: flow,
    attributes: object(),
  } satisfies Fields
}

function findBrand({ store, params }: ApiCall): BrandRecord {
  const brand = store.records.brands.find((one) => one.brand_uuid === params.uuid)
  if (!brand) throw missing('Brand')
  return brand
}

function updateBrand(call: ApiCall, partial: boolean) {
  const brand = findBrand(call)
  const values = readFields(brandFields(call.store), call.body, { partial })
  if (call.store.records.brands.some((one) => one !== brand && one.default) && values.default) {
    throw invalid({ default: ['Only a single brand can be set as default.'] })
  }
  Object.assign(brand, values)
  return ok(brandView(brand))
}

const mappingFields = {
  name: required(text()),
  expression: required(text()),
  scope_name: required(text()),
  description: text({ blank: true }),
} satisfies Fields

/** Unbalanced brackets or quotes: as far as a Python expression is read here. */
function rejectBrokenExpression(expression: string | undefined): void {
  const strings = /"(?:\\.|[^"\\\n])*("?)|'(?:\\.|[^'\\\n])*('?)/g
  const bare = (expression ?? '')
    .replace(/#.*$/gm, '')
    .replace(strings, (text, double: string, single: string) => (double || single ? '' : text))
  const count = (pattern: RegExp) => bare.match(pattern)?.length ?? 0
  const broken = count(/[([{]/g) !== count(/[)\]}]/g) || /["']/.test(bare)
  if (broken)
    throw invalid({ expression: ['Expression Syntax Error: invalid syntax (mapping, line 1)'] })
}

function findMapping({ store, params }: ApiCall): MappingRecord {
  const mapping = store.records.mappings.find((one) => one.pk === params.pk)
  if (!mapping) throw missing('ScopeMapping')
  return mapping
}

function readMapping(call: ApiCall, partial: boolean, self?: MappingRecord) {
  const values = readFields(mappingFields, call.body, { partial })
  if (call.store.records.mappings.some((one) => one.name === values.name && one !== self)) {
    throw invalid({ name: ['Scope Mapping with this name already exists.'] })
  }
  rejectBrokenExpression(values.expression)
  return values
}

/**
 * Objects that a client looks up before it makes its own: flows, keys, scope mappings, brands, the
 * version.
 */
export function directoryResources(
  applied: BlueprintsApplied,
  { geoip }: { geoip: boolean },
): readonly Resource[] {
  const ready = <Row>(rows: readonly Row[]): readonly Row[] => (applied() ? rows : [])
  return [
    {
      path: 'flows/instances/',
      GET({ store, query }) {
        let rows = exact(query, ready(store.records.flows), 'slug', (flow) => flow.slug)
        rows = exact(query, rows, 'name', (flow) => flow.name)
        rows = exact(query, rows, 'designation', (flow) => flow.designation)
        rows = search(query, rows, (flow) => [flow.name, flow.slug, flow.designation, flow.title])
        return paginate(
          query,
          order(query, rows, { name: (flow) => flow.name, slug: (flow) => flow.slug }),
          flowView,
        )
      },
    },
    {
      path: 'flows/instances/:slug/',
      GET({ store, params }) {
        const flow = ready(store.records.flows).find((one) => one.slug === params.slug)
        if (!flow) throw missing('Flow')
        return ok(flowView(flow))
      },
    },
    {
      path: 'crypto/certificatekeypairs/',
      GET({ store, query }) {
        let rows = exact(query, ready(store.records.keypairs), 'name', (pair) => pair.name)
        if (boolean(query, 'has_key') === false) rows = []
        rows = search(query, rows, (pair) => [pair.name])
        return paginate(query, rows, (pair) => ({
          ...pair,
          fingerprint_sha256: null,
          fingerprint_sha1: null,
          cert_expiry: null,
          cert_subject: null,
          private_key_available: true,
          key_type: 'rsa',
          certificate_download_url: `/api/v3/crypto/certificatekeypairs/${pair.pk}/view_certificate/?download`,
          private_key_download_url: `/api/v3/crypto/certificatekeypairs/${pair.pk}/view_private_key/?download`,
        }))
      },
    },
    {
      path: 'propertymappings/provider/scope/',
      GET({ store, query }) {
        const mappings = ready(store.records.mappings)
        const managed = choicesFilter(query, 'managed', (value) =>
          mappings.some((one) => one.managed === value),
        )
        const unmanaged = boolean(query, 'managed__isnull')
        let rows = mappings.filter(
          (one) =>
            (managed.length === 0 || managed.includes(one.managed ?? '')) &&
            (unmanaged === undefined || unmanaged === (one.managed === null)),
        )
        rows = exact(query, rows, 'name', (one) => one.name)
        rows = exact(query, rows, 'scope_name', (one) => one.scope_name)
        rows = search(query, rows, (one) => [one.name, one.scope_name])
        return paginate(
          query,
          order(query, rows, { name: (one) => one.name, scope_name: (one) => one.scope_name }),
          mappingView,
        )
      },
      POST(call) {
        const {
          name = '',
          expression = '',
          scope_name = '',
          description = '',
        } = readMapping(call, false)
        const mapping = { pk: newUuid(), managed: null, name, expression, scope_name, description }
        call.store.records.mappings.push(mapping)
        return created(mappingView(mapping))
      },
    },
    {
      path: 'propertymappings/provider/scope/:pk/',
      GET: (call) => ok(mappingView(findMapping(call))),
      PATCH(call) {
        const mapping = findMapping(call)
        Object.assign(mapping, readMapping(call, true, mapping))
        return ok(mappingView(mapping))
      },
      DELETE(call) {
        const mapping = findMapping(call)
        const { records } = call.store
        records.mappings = records.mappings.filter((one) => one !== mapping)
        for (const provider of records.providers) {
          provider.property_mappings = provider.property_mappings.filter((pk) => pk !== mapping.pk)
        }
        return done
      },
    },
    {
      path: 'core/brands/',
      GET({ store, query }) {
        let rows = exact(query, ready(store.records.brands), 'domain', (brand) => brand.domain)
        rows = exact(query, rows, 'brand_uuid', (brand) => brand.brand_uuid)
        const isDefault = boolean(query, 'default')
        if (isDefault !== undefined) rows = rows.filter((brand) => brand.default === isDefault)
        return paginate(query, rows, brandView)
      },
    },
    {
      path: 'core/brands/:uuid/',
      GET: (call) => ok(brandView(findBrand(call))),
      PUT: (call) => updateBrand(call, false),
      PATCH: (call) => updateBrand(call, true),
    },
    {
      path: 'root/config/',
      GET: () =>
        ok({
          error_reporting: { enabled: false },
          capabilities: ['can_impersonate', ...(geoip ? ['can_geo_ip'] : [])],
          cache_timeout: 300,
          cache_timeout_flows: 300,
          cache_timeout_policies: 300,
        }),
    },
    {
      path: 'admin/version/',
      GET: () =>
        ok({
          version_current: '2026.8.3',
          version_latest: '2026.8.3',
          version_latest_valid: true,
          build_hash: '',
          outdated: false,
          outpost_outdated: false,
        }),
    },
  ]
}
