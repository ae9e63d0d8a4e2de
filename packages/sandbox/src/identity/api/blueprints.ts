import { applyEntries, BlueprintFault } from '../blueprint.ts'
import { rowsOf } from '../blueprint-models.ts'
import type { Json, JsonObject } from '../json.ts'
import { attachedScopes, scopeClaims } from '../oidc/claims.ts'
import { isSuperuser } from '../people.ts'
import { type BlueprintRecord, isoNow, newUuid, nextPk, type Store } from '../records.ts'
import { ApiError, invalid, missing } from './errors.ts'
import { flag, object, readFields, required, text } from './fields.ts'
import { exact, paginate, search } from './lists.ts'
import { type ApiCall, type ApiHandler, created, ok, type Resource } from './router.ts'

/** Sets an installation up: for superusers alone, as it can change everything. */
const forSuperusers =
  (handler: ApiHandler): ApiHandler =>
  (call) => {
    if (isSuperuser(call.store, call.caller)) return handler(call)
    throw new ApiError(403, { detail: 'You do not have permission to perform this action.' })
  }

const fields = {
  name: required(text()),
  path: text({ blank: true }),
  content: text({ blank: true }),
  context: object(),
  enabled: flag(),
}

/** Each later than the one before: clients wait for a change of it. */
function newMoment(store: Store): string {
  return isoNow(store).replace('Z', `${String(nextPk(store) % 1000).padStart(3, '0')}Z`)
}

/** Throws BlueprintFault. The records change as a whole or not at all. */
function applyTo(store: Store, content: string, context: Readonly<Record<string, Json>>) {
  const trial: Store = { ...store, records: structuredClone(store.records) }
  applyEntries(trial, content, context)
  return trial.records
}

function readBlueprint(call: ApiCall, partial: boolean, self?: BlueprintRecord) {
  const values = readFields(fields, call.body, { partial })
  const { blueprints } = call.store.records
  if (blueprints.some((one) => one.name === values.name && one !== self))
    throw invalid({ name: ['Blueprint Instance with this name already exists.'] })
  if (values.content)
    try {
      applyTo(call.store, values.content, self?.context ?? {})
    } catch (error) {
      if (!(error instanceof BlueprintFault)) throw error
      throw invalid({ content: ['Failed to validate blueprint', `- ${error.message}`] })
    }
  return values
}

function find({ store, params }: ApiCall): BlueprintRecord {
  const found = store.records.blueprints.find((one) => one.pk === params.pk)
  if (!found) throw missing('BlueprintInstance')
  return found
}

/** The worker's task, done at once. */
function apply(call: ApiCall) {
  const { store } = call
  const { pk, content, context } = find(call)
  const ended: Partial<BlueprintRecord> = { status: 'successful', logs: [] }
  try {
    store.records = applyTo(store, content, context)
  } catch (error) {
    if (!(error instanceof BlueprintFault)) throw error
    ended.status = 'error'
    ended.logs = [error.message]
  }
  const record = store.records.blueprints.find((one) => one.pk === pk)
  if (record) Object.assign(record, ended, { last_applied: newMoment(store) })
  return ok(view(find(call)))
}

const view = ({ logs: _, ...record }: BlueprintRecord) => ({
  ...record,
  path: '',
  last_applied_hash: '',
  managed_models: [],
  metadata: {},
})

/** A list of the records of a model that nothing else here reads. */
const listOf =
  (model: string, defaults: JsonObject = {}): ApiHandler =>
  ({ store, query }) =>
    paginate(
      query,
      exact(query, rowsOf(store, model), 'name', (row) => String(row.name)),
      (row) => ({ ...defaults, ...row }),
    )

/** What sets an installation up, and what shows the result. */
export const blueprintResources: readonly Resource[] = [
  {
    path: 'managed/blueprints/',
    GET: forSuperusers(({ store, query }) => {
      let rows = exact(query, store.records.blueprints, 'name', (one) => one.name)
      rows = search(query, rows, (one) => [one.name])
      return paginate(query, rows, view)
    }),
    POST: forSuperusers((call) => {
      const { name = '', content = '', context = {}, enabled = true } = readBlueprint(call, false)
      const record: BlueprintRecord = {
        pk: newUuid(),
        name,
        content,
        context,
        enabled,
        status: 'unknown',
        last_applied: newMoment(call.store),
        logs: [],
      }
      call.store.records.blueprints.push(record)
      return created(view(record))
    }),
  },
  {
    path: 'managed/blueprints/:pk/',
    GET: forSuperusers((call) => ok(view(find(call)))),
    PATCH: forSuperusers((call) => {
      const record = find(call)
      const { path: _, ...values } = readBlueprint(call, true, record)
      Object.assign(record, values, { last_applied: newMoment(call.store) })
      return ok(view(record))
    }),
  },
  { path: 'managed/blueprints/:pk/apply/', POST: forSuperusers(apply) },
  {
    path: 'tasks/tasks/',
    GET: forSuperusers(({ store, query }) => {
      const rows = store.records.blueprints.filter((one) => one.pk === query.get('rel_obj_id'))
      return paginate(query, rows, ({ logs }) => ({
        logs: [
          { log_level: 'info', event: 'Task is being processed' },
          ...logs.map((event) => ({ log_level: 'warning', event })),
        ],
      }))
    }),
  },
  {
    path: 'flows/bindings/',
    GET: ({ store, query }) => {
      const stages = store.records.objects.map((one) => one.fields)
      const rows = rowsOf(store, 'authentik_flows.flowstagebinding').filter(
        ({ target }) => target === query.get('target'),
      )
      return paginate(query, rows, (row) => ({
        ...row,
        policybindingmodel_ptr_id: row.pk,
        evaluate_on_plan: row.evaluate_on_plan ?? false,
        re_evaluate_policies: row.re_evaluate_policies ?? true,
        stage_obj: { pk: row.stage, name: stages.find(({ pk }) => pk === row.stage)?.name ?? '' },
      }))
    },
  },
  { path: 'policies/password/', GET: listOf('authentik_policies_password.passwordpolicy') },
  { path: 'stages/prompt/stages/', GET: listOf('authentik_stages_prompt.promptstage') },
  {
    path: 'stages/identification/',
    GET: listOf('authentik_stages_identification.identificationstage', {
      recovery_flow: null,
      webauthn_stage: null,
    }),
  },
  {
    path: 'stages/authenticator/validate/',
    GET: listOf('authentik_stages_authenticator_validate.authenticatorvalidatestage', {
      webauthn_user_verification: 'preferred',
    }),
  },
  {
    path: 'rbac/permissions/',
    GET: forSuperusers(({ store, query }) => {
      const role = rowsOf(store, 'authentik_rbac.role').find((row) => row.pk === query.get('role'))
      const permissions = Array.isArray(role?.permissions) ? role.permissions.map(String) : []
      return paginate(query, permissions, (permission) => {
        const [app_label, codename] = permission.split('.')
        return { app_label, codename, name: codename }
      })
    }),
  },
  {
    path: 'core/tokens/:identifier/view_key/',
    GET: forSuperusers(({ store, params }) => {
      const token = store.records.tokens.find((one) => one.identifier === params.identifier)
      if (!token) throw missing('Token')
      return ok({ key: token.key })
    }),
  },
  {
    path: 'providers/oauth2/:pk/preview_user/',
    GET: forSuperusers(({ store, params, query }) => {
      const provider = store.records.providers.find((one) => String(one.pk) === params.pk)
      if (!provider) throw missing('OAuth2Provider')
      const user = store.records.users.find((one) => String(one.pk) === query.get('for_user'))
      if (!user) throw invalid({ for_user: ['User not found'] })
      const claims = scopeClaims(store, user, attachedScopes(store, provider))
      return ok({ preview: { sub: user.uid, ...claims } })
    }),
  },
]
