import { isObject, type Json } from '../json.ts'
import type { Store } from '../records.ts'
import { type ApplicationListCache, makeApplication, readApplication } from './applications.ts'
import { type BindingValues, makeBinding, readBinding } from './bindings.ts'
import { ApiError, invalid } from './errors.ts'
import { makeProvider, readProvider } from './providers.ts'
import { type ApiCall, ok, type Resource } from './router.ts'

const model = 'authentik_providers_oauth2.oauth2provider'

/** Runs a check and keeps its rejection, so that the errors of all parts are reported together. */
function attempt<T>(errors: Record<string, Json>, name: string, check: () => T): T | undefined {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    errors[name] = error.body as Json
    return undefined
  }
}

function entry(body: Record<string, unknown>, name: string): unknown {
  if (body[name] === undefined) throw new ApiError(400, ['This field is required.'])
  return body[name]
}

/**
 * Application, provider and bindings in one call: all of them or none. The response contains no
 * key.
 */
function createAll({ store, body }: ApiCall, cache: ApplicationListCache) {
  if (!isObject(body)) throw invalid({ non_field_errors: ['Invalid data. Expected a dictionary.'] })
  const errors: Record<string, Json> = {}
  if (body.provider_model === undefined) errors.provider_model = ['This field is required.']
  else if (body.provider_model !== model)
    errors.provider_model = [`"${String(body.provider_model)}" is not a valid choice.`]
  const application = attempt(errors, 'app', () =>
    readApplication(store, withoutProvider(entry(body, 'app'))),
  )
  const provider = attempt(errors, 'provider', () => readProvider(store, entry(body, 'provider')))
  const bindings = readBindings(store, body.policy_bindings ?? [], errors)
  if (!application || !provider || Object.keys(errors).length > 0) throw invalid(errors)

  const made = makeProvider(store, provider)
  const attached = { ...makeApplication(application), provider: made.pk }
  store.records.providers.push(made)
  store.records.applications.push(attached)
  store.records.bindings.push(...bindings.map((one) => makeBinding(one, attached.pk)))
  cache.clear()
  return ok({ applied: true, logs: [] })
}

/** Faults stand in a list with an object for every binding, empty for those that are right. */
function readBindings(
  store: Store,
  provided: unknown,
  errors: Record<string, Json>,
): BindingValues[] {
  if (!Array.isArray(provided)) {
    errors.policy_bindings = ['Expected a list of items.']
    return []
  }
  const faults: Record<string, Json>[] = provided.map(() => ({}))
  const read = provided.map((one, index) => {
    const fault: Record<string, Json> = {}
    const binding = attempt(fault, 'binding', () => readBinding(store, one))
    if (isObject(fault.binding)) faults[index] = fault.binding
    return binding
  })
  if (faults.some((fault) => Object.keys(fault).length > 0)) errors.policy_bindings = faults
  return read.filter((one) => one !== undefined)
}

/** The provider is made by the same call, so one that is named in `app` is read over. */
function withoutProvider(app: unknown): unknown {
  return isObject(app)
    ? Object.fromEntries(Object.entries(app).filter(([name]) => name !== 'provider'))
    : app
}

export function transactionalResources(cache: ApplicationListCache): readonly Resource[] {
  return [{ path: 'core/transactional/applications/', PUT: (call) => createAll(call, cache) }]
}
