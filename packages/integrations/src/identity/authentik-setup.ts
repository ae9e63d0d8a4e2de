import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import {
  blueprintName,
  type SetupAccess,
  type SetupCalls,
  setupCalls,
} from './authentik-setup-calls.ts'

const Instance = z.object({
  pk: z.string().min(1),
  name: z.string(),
  status: z.string(),
  last_applied: z.string(),
})
type Instance = z.infer<typeof Instance>

const Task = z.object({
  logs: z.array(z.object({ log_level: z.string(), event: z.string() })).default([]),
})
const Named = z.object({ slug: z.string() })

export interface ApplyBlueprint extends SetupAccess {
  /** The blueprint, YAML. */
  content: string
  /** The name of its instance at authentik; ours by default. */
  name?: string | undefined
  /** Values of its `!Context` tags. */
  context: Record<string, string>
  /** How long the worker may take, and how often it is asked. */
  patience?: { timeoutMs: number; intervalMs: number } | undefined
}

/** Applied, or what authentik says about the failure, line by line. */
export type BlueprintOutcome = { applied: true } | { applied: false; faults: string[] }

/**
 * Sends the blueprint and waits until authentik's worker has applied it. Repeatable: it changes
 * what differs. Rejects with `UpstreamError` when authentik does not respond.
 */
export async function applyBlueprint({
  content,
  context,
  name = blueprintName,
  patience = { timeoutMs: 120_000, intervalMs: 1_000 },
  ...access
}: ApplyBlueprint): Promise<BlueprintOutcome> {
  const calls = setupCalls(access)
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T | undefined> => {
    for (const end = performance.now() + patience.timeoutMs; ; await wait(patience.intervalMs)) {
      const found = await look()
      if (found !== undefined || performance.now() > end) return found
    }
  }
  // A fresh authentik responds before its worker has made the flows that ours extend.
  const ready = await until(() => findDefaultFlow(calls))
  if (!ready) return failure("authentik's own flows are missing: its worker has not made them yet")
  const saved = await saveInstance(calls, { name, content, context })
  if (!('pk' in saved)) return failure(...saved.faults)
  await calls.send({
    method: 'POST',
    path: `managed/blueprints/${saved.pk}/apply/`,
    read: () => undefined,
  })
  const ended = await until(async () => {
    const now = await readInstance(calls, saved.pk)
    return now.last_applied === saved.last_applied ? undefined : now
  })
  if (!ended) return failure("authentik's worker has not applied it: is the worker running?")
  return ended.status === 'successful'
    ? { applied: true }
    : failure(...(await readFaults(calls, saved.pk)))
}

const failure = (...faults: string[]): BlueprintOutcome => ({ applied: false, faults })

async function findDefaultFlow(calls: SetupCalls): Promise<true | undefined> {
  // What our blueprint refers to comes from several of authentik's own, in no fixed order.
  const slugs = [
    'default-authentication-flow',
    'default-authenticator-totp-setup',
    'default-authenticator-webauthn-setup',
    'default-invalidation-flow',
    'default-password-change',
    'default-provider-authorization-implicit-consent',
  ]
  for (const slug of slugs) {
    const rows = await calls.list('flows/instances/', { slug }, Named)
    if (!rows.some((row) => row.slug === slug)) return undefined
  }
  const managed = 'goauthentik.io/providers/oauth2/scope-offline_access'
  // To ask for `managed` itself is 400 while there is none of this name.
  const mappings = await calls.list(
    'propertymappings/provider/scope/',
    { managed__isnull: 'false' },
    z.object({ managed: z.string().nullable() }),
  )
  if (!mappings.some((row) => row.managed === managed)) return undefined
  return true
}

async function saveInstance(
  calls: SetupCalls,
  blueprint: { name: string; content: string; context: Record<string, string> },
): Promise<Instance | { faults: string[] }> {
  const known = await calls.list('managed/blueprints/', { name: blueprint.name }, Instance)
  const there = known.find(({ name }) => name === blueprint.name)
  return calls.send({
    method: there ? 'PATCH' : 'POST',
    path: there ? `managed/blueprints/${there.pk}/` : 'managed/blueprints/',
    body: { ...blueprint, enabled: true },
    accept: [200, 201, 400],
    read: ({ status, json }) => (status === 400 ? { faults: textsOf(json) } : Instance.parse(json)),
  })
}

function readInstance(calls: SetupCalls, pk: string): Promise<Instance> {
  return calls.send({
    method: 'GET',
    path: `managed/blueprints/${pk}/`,
    read: ({ json }) => Instance.parse(json),
  })
}

/** What the worker logged about the newest run, warnings and errors. */
async function readFaults(calls: SetupCalls, pk: string): Promise<string[]> {
  const [task] = await calls.list(
    'tasks/tasks/',
    {
      rel_obj_content_type__app_label: 'authentik_blueprints',
      rel_obj_content_type__model: 'blueprintinstance',
      rel_obj_id: pk,
      ordering: '-mtime',
      page_size: '1',
    },
    Task,
  )
  const logs = task?.logs.filter(({ log_level }) => !['info', 'debug'].includes(log_level)) ?? []
  return logs.length > 0
    ? logs.map(({ event }) => event)
    : ["the blueprint failed; the log of authentik's worker says why"]
}

/** The texts in an error response, whatever its shape. */
function textsOf(json: unknown): string[] {
  if (typeof json === 'string') return [json]
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsOf) : []
}

const Client = z.object({ name: z.string(), client_id: z.string(), client_secret: z.string() })
const Key = z.object({ key: z.string() })

export interface SetupCredentials {
  portal: { clientId: string; clientSecret: string }
  operator: { clientId: string; clientSecret: string }
  apiToken: string
}

/**
 * The secrets that authentik generated for the blueprint's applications and service account. Throws
 * where the blueprint was not applied.
 */
export async function readCredentials(access: SetupAccess): Promise<SetupCredentials> {
  const calls = setupCalls(access)
  const clientOf = async (name: string) => {
    const rows = await calls.list('providers/oauth2/', { name }, Client)
    const found = rows.find((row) => row.name === name)
    if (!found) throw new Error(`There is no provider ${name}: apply the blueprint first.`)
    return { clientId: found.client_id, clientSecret: found.client_secret }
  }
  const portal = await clientOf('atrium-portal')
  const operator = await clientOf('atrium-operator')
  const { key } = await calls.send({
    method: 'GET',
    path: 'core/tokens/atrium-api/view_key/',
    read: ({ json }) => Key.parse(json),
  })
  return { portal, operator, apiToken: key }
}
