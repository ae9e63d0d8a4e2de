import { randomBytes } from 'node:crypto'
import { SetError } from './errors.ts'
import { longId } from './ids.ts'
import { isObject, type JsonObject, objectOf, own, textOf } from './json.ts'
import type { Method, MethodCall } from './method.ts'

const setError = (error: SetError): JsonObject => error.toJson()

/** A host name with a dot, as the server asks for. */
const hostname = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** The stand-in keeps what it is told about the stores; it does not connect to them. */
function bootstrapSet({ world, accountId, args }: MethodCall): JsonObject {
  const values = objectOf(objectOf(args, 'update'), 'singleton')
  const reject = (error: SetError) => ({ accountId, notUpdated: { singleton: setError(error) } })
  const { installation } = world
  if (installation.mode !== 'bootstrap')
    return reject(
      new SetError('forbidden', { description: 'This operation is only allowed bootstrap mode' }),
    )
  for (const property of ['serverHostname', 'defaultDomain'])
    if (!hostname.test(textOf(values, property)))
      return reject(new SetError('invalidProperties', { properties: [property] }))
  if (textOf(objectOf(values, 'dataStore'), '@type') === '')
    return reject(new SetError('invalidProperties', { properties: ['dataStore'] }))
  const domain = textOf(values, 'defaultDomain')
  const admin = { username: `admin@${domain}`, password: randomBytes(8).toString('hex') }
  world.installation = {
    ...installation,
    mode: 'written',
    domain,
    admin,
    settings: { Bootstrap: values },
  }
  return {
    accountId,
    updated: { singleton: { username: admin.username, secret: admin.password } },
  }
}

/** Settings with one object each. */
const singletonSet =
  (name: string) =>
  ({ world, accountId, args }: MethodCall): JsonObject => {
    const { settings } = world.installation
    settings[name] = { ...settings[name], ...objectOf(objectOf(args, 'update'), 'singleton') }
    return { accountId, updated: { singleton: null } }
  }

function certificateGet({ world, accountId }: MethodCall): JsonObject {
  const list = [...world.installation.certificates].map(([id, record]) => ({ id, ...record }))
  return { accountId, list, notFound: [] }
}

/** The files are the server's own: nothing here can read them. */
function certificateSet({ world, accountId, args }: MethodCall): JsonObject {
  const created: Record<string, JsonObject> = {}
  const notCreated: Record<string, JsonObject> = {}
  for (const [key, object] of Object.entries(objectOf(args, 'create'))) {
    if (!isObject(object) || !own(object, 'certificate') || !own(object, 'privateKey')) {
      notCreated[key] = setError(new SetError('invalidProperties', { properties: ['certificate'] }))
      continue
    }
    const id = longId(world.now(), [...world.installation.certificates.keys()].at(-1))
    world.installation.certificates.set(id, object)
    created[key] = { id }
  }
  return { accountId, created, ...(Object.keys(notCreated).length > 0 && { notCreated }) }
}

function actionSet({ world, accountId, args }: MethodCall): JsonObject {
  const actions = Object.keys(objectOf(args, 'create'))
  return {
    accountId,
    created: Object.fromEntries(
      actions.map((key) => [key, { id: longId(world.now(), undefined) }]),
    ),
  }
}

const optional = 'optional' as const
const method = (name: string, permission: string, run: Method['run']) =>
  [name, { permission, accountId: optional, run }] as const

/** The objects that set the server itself up. */
export const installationMethods: readonly (readonly [string, Method])[] = [
  method('x:Bootstrap/set', 'sysBootstrapUpdate', bootstrapSet),
  method('x:Http/set', 'sysHttpUpdate', singletonSet('Http')),
  method('x:SystemSettings/set', 'sysSystemSettingsUpdate', singletonSet('SystemSettings')),
  method('x:Certificate/get', 'sysCertificateGet', certificateGet),
  method('x:Certificate/set', 'sysCertificateCreate', certificateSet),
  method('x:Action/set', 'actionReloadTlsCertificates', actionSet),
]
