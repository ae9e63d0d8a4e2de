import { mayUse } from '../people.ts'
import { type ApplicationRecord, newUuid, type Store } from '../records.ts'
import { invalid, missing } from './errors.ts'
import {
  choice,
  type Fields,
  flag,
  nullable,
  numberReference,
  readFields,
  required,
  text,
  type Values,
} from './fields.ts'
import { boolean, exact, order, paginate, search } from './lists.ts'
import { applicationView } from './provider-view.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'

const reserved = ['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']

function applicationFields({ records }: Store) {
  return {
    name: required(text()),
    slug: required(
      text({
        pattern: /^[-a-zA-Z0-9_]+$/,
        message: 'Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.',
      }),
    ),
    provider: nullable(numberReference((pk) => records.providers.some((one) => one.pk === pk))),
    open_in_new_tab: flag(),
    meta_launch_url: text({
      blank: true,
      pattern: /^([a-z][a-z0-9+.-]*:\/\/\S+|blank:\/\/blank)$/i,
      message: 'Enter a valid URL.',
    }),
    meta_icon: text({ blank: true }),
    meta_description: text({ blank: true }),
    meta_publisher: text({ blank: true }),
    policy_engine_mode: choice('all', 'any'),
    group: text({ blank: true }),
    meta_hide: flag(),
  } satisfies Fields
}

export type ApplicationValues = Values<ReturnType<typeof applicationFields>>

/** The fields of an application, checked. Throws 400 with all faults. */
export function readApplication(
  store: Store,
  body: unknown,
  options: { partial?: boolean; self?: ApplicationRecord } = {},
): ApplicationValues {
  const values = readFields(applicationFields(store), body, options)
  const errors: Record<string, string[]> = {}
  const others = store.records.applications.filter((one) => one !== options.self)
  if (values.slug !== undefined && reserved.includes(values.slug)) {
    errors.slug = [
      "The slug '%s' is reserved and cannot be used for applications.".replace('%s', values.slug),
    ]
  } else if (others.some((one) => one.slug === values.slug)) {
    errors.slug = ['Application with this slug already exists.']
  }
  if (
    typeof values.provider === 'number' &&
    others.some((one) => one.provider === values.provider)
  ) {
    errors.provider = ['Application with this provider already exists.']
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return values
}

export function makeApplication(values: ApplicationValues): ApplicationRecord {
  return {
    pk: newUuid(),
    name: values.name ?? '',
    slug: values.slug ?? '',
    provider: values.provider ?? null,
    group: values.group ?? '',
    policy_engine_mode: values.policy_engine_mode ?? 'any',
    open_in_new_tab: values.open_in_new_tab ?? false,
    meta_launch_url: values.meta_launch_url ?? '',
    meta_icon: values.meta_icon ?? '',
    meta_description: values.meta_description ?? '',
    meta_publisher: values.meta_publisher ?? '',
    meta_hide: values.meta_hide ?? false,
  }
}

/**
 * The applications that a caller sees, remembered per caller and page and without the filters, as
 * authentik does for a day: a later `?slug=` answers with whatever was listed first. Only creating
 * an application clears it.
 */
export interface ApplicationListCache {
  get(key: string): readonly ApplicationRecord[] | undefined
  set(key: string, applications: readonly ApplicationRecord[]): void
  clear(): void
}

export function createApplicationListCache(): ApplicationListCache {
  return new Map()
}

function find({ store, params }: ApiCall): ApplicationRecord {
  const application = store.records.applications.find((one) => one.slug === params.slug)
  if (!application) throw missing('Application')
  return application
}

function update(call: ApiCall, partial: boolean) {
  const application = find(call)
  Object.assign(application, readApplication(call.store, call.body, { partial, self: application }))
  return ok(applicationView(call.store, application))
}

function listApplications({ store, query, caller }: ApiCall, cache: ApplicationListCache) {
  let rows = search(query, store.records.applications, (one) => [
    one.name,
    one.slug,
    one.meta_description,
    one.meta_publisher,
    one.group,
  ])
  for (const name of [
    'name',
    'slug',
    'group',
    'meta_launch_url',
    'meta_description',
    'meta_publisher',
  ] as const) {
    rows = exact(query, rows, name, (one) => one[name])
  }
  rows = order(
    query,
    rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    { name: (one) => one.name, slug: (one) => one.slug },
  )
  if (boolean(query, 'superuser_full_list') !== true) {
    const key = `${caller.pk}:${query.get('page') ?? ''}:${query.get('page_size') ?? ''}`
    const known = query.get('search') ? undefined : cache.get(key)
    rows = known ? [...known] : rows.filter((one) => mayUse(store, one, caller))
    if (!query.get('search')) cache.set(key, rows)
  }
  return paginate(query, rows, (one) => applicationView(store, one))
}

export function applicationResources(cache: ApplicationListCache): readonly Resource[] {
  return [
    {
      path: 'core/applications/',
      GET: (call) => listApplications(call, cache),
      POST({ store, body }) {
        const application = makeApplication(readApplication(store, body))
        store.records.applications.push(application)
        cache.clear()
        return created(applicationView(store, application))
      },
    },
    {
      path: 'core/applications/:slug/',
      GET: (call) => ok(applicationView(call.store, find(call))),
      PUT: (call) => update(call, false),
      PATCH: (call) => update(call, true),
      DELETE(call) {
        const application = find(call)
        const { records } = call.store
        records.applications = records.applications.filter((one) => one !== application)
        records.bindings = records.bindings.filter((binding) => binding.target !== application.pk)
        return done
      },
    },
    {
      path: 'core/applications/:slug/check_access/',
      GET(call) {
        const application = find(call)
        const requested = call.query.get('for_user')
        const user =
          requested === null
            ? call.caller
            : call.store.records.users.find((one) => String(one.pk) === requested)
        if (!user) throw invalid({ for_user: 'User not found' })
        return ok({
          passing: mayUse(call.store, application, user),
          messages: [],
          log_messages: [],
        })
      },
    },
  ]
}
