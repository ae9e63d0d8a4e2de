import { type BindingRecord, newUuid, type Store } from '../records.ts'
import { ApiError, missing } from './errors.ts'
import {
  type Fields,
  flag,
  integer,
  nullable,
  numberReference,
  readFields,
  reference,
  required,
  text,
  type Values,
} from './fields.ts'
import { boolean, order, paginate, uuidFilter } from './lists.ts'
import { type ApiCall, created, done, ok, type Resource } from './router.ts'
import { partialGroup, partialUser } from './views.ts'

function bindingFields({ records }: Store) {
  return {
    policy: nullable(reference((pk) => records.objects.some(({ fields }) => fields.pk === pk))),
    group: nullable(reference((pk) => records.groups.some((group) => group.pk === pk))),
    user: nullable(numberReference((pk) => records.users.some((user) => user.pk === pk))),
    negate: flag(),
    enabled: flag(),
    order: required(integer()),
    timeout: integer({ min: 0 }),
    failure_result: flag(),
    expires: nullable(text()),
    expiring: flag(),
  } satisfies Fields
}

export type BindingValues = Values<ReturnType<typeof bindingFields>>

function rejectWrongSubjects(binding: { policy?: unknown; group?: unknown; user?: unknown }): void {
  const subjects = [binding.policy, binding.group, binding.user].filter(
    (one) => one !== null && one !== undefined,
  )
  if (subjects.length === 1) return
  const text =
    subjects.length > 1
      ? "Only one of 'group', 'policy', 'user' can be set."
      : "One of 'group', 'policy', 'user' must be set."
  throw new ApiError(400, { non_field_errors: [text] })
}

/** The fields of a binding inside the transactional call, which knows its target. */
export function readBinding(store: Store, body: unknown): BindingValues {
  const values = readFields(bindingFields(store), body)
  rejectWrongSubjects(values)
  return values
}

export function makeBinding(values: BindingValues, target: string): BindingRecord {
  return {
    pk: newUuid(),
    policy: null,
    group: values.group ?? null,
    user: values.user ?? null,
    target,
    negate: values.negate ?? false,
    enabled: values.enabled ?? true,
    order: values.order ?? 0,
    timeout: values.timeout ?? 30,
    failure_result: values.failure_result ?? false,
    expires: values.expires ?? null,
    expiring: values.expiring ?? false,
  }
}

function bindingView(store: Store, binding: BindingRecord) {
  const group = store.records.groups.find((one) => one.pk === binding.group)
  const user = store.records.users.find((one) => one.pk === binding.user)
  const policy = store.records.objects.find(({ fields }) => fields.pk === binding.policy)
  return {
    ...binding,
    policy_obj: policy ? { pk: policy.fields.pk, name: policy.fields.name } : null,
    group_obj: group ? partialGroup(group) : null,
    user_obj: user ? partialUser(user) : null,
  }
}

function withTarget(store: Store) {
  const target = reference((pk) => store.records.applications.some((one) => one.pk === pk))
  return { ...bindingFields(store), target: required(target) }
}

function find({ store, params }: ApiCall): BindingRecord {
  const binding = store.records.bindings.find((one) => one.pk === params.pk)
  if (!binding) throw missing('PolicyBinding')
  return binding
}

function update(call: ApiCall, partial: boolean) {
  const binding = find(call)
  const values = readFields(withTarget(call.store), call.body, { partial })
  rejectWrongSubjects({ ...binding, ...values })
  Object.assign(binding, values)
  return ok(bindingView(call.store, binding))
}

export const bindingResources: readonly Resource[] = [
  {
    path: 'policies/bindings/',
    GET({ store, query }) {
      // There is no `group` filter; asking for one lists everything.
      const target = uuidFilter(query, 'target')
      const policy = uuidFilter(query, 'policy')
      const targets = query.getAll('target_in')
      const enabled = boolean(query, 'enabled')
      const withoutPolicy = boolean(query, 'policy__isnull')
      const position = query.get('order')
      const rows = store.records.bindings.filter(
        (one) =>
          (target === undefined || one.target === target) &&
          (policy === undefined || one.policy === policy) &&
          (targets.length === 0 || targets.includes(one.target)) &&
          (enabled === undefined || one.enabled === enabled) &&
          (withoutPolicy === undefined || (one.policy === null) === withoutPolicy) &&
          (!position || one.order === Number(position)),
      )
      const sorted = order(
        query,
        rows.toSorted((a, b) => a.order - b.order),
        { order: (one) => one.order, pk: (one) => one.pk },
      )
      return paginate(query, sorted, (one) => bindingView(store, one))
    },
    POST({ store, body }) {
      const { target, ...values } = readFields(withTarget(store), body)
      rejectWrongSubjects(values)
      const binding = makeBinding(values, target ?? '')
      store.records.bindings.push(binding)
      return created(bindingView(store, binding))
    },
  },
  {
    path: 'policies/bindings/:pk/',
    GET: (call) => ok(bindingView(call.store, find(call))),
    PUT: (call) => update(call, false),
    PATCH: (call) => update(call, true),
    DELETE(call) {
      const binding = find(call)
      call.store.records.bindings = call.store.records.bindings.filter((one) => one !== binding)
      return done
    },
  },
]
