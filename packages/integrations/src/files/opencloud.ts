import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClientOptions, httpClient, shaped } from '../http-client.ts'
import type { FileStorage, SpaceStorage } from './port.ts'
import { spaceName } from './space-name.ts'

export interface OpenCloudOptions extends HttpClientOptions {
  /** Name of the service user: role Admin, creator and manager of every tenant space. */
  user: string
  /** App token of that user; it expires, `check` tells. */
  appToken: string
}

// Unlimited space answers 2^63-1, which is no safe integer in JavaScript: plain numbers, not `z.int`.
const bytes = z.number().optional()
const Drive = z.object({
  id: z.string().min(1),
  driveAlias: z.string().optional(),
  driveType: z.string(),
  quota: z.object({ total: bytes, used: bytes, remaining: bytes, state: z.string().optional() }).optional(),
  root: z.object({ deleted: z.object({ state: z.string() }).optional() }).optional(),
})
type Drive = z.infer<typeof Drive>

// The list of an empty storage is `null`, or an object without `value`.
const Drives = z.object({ value: z.array(Drive).nullish() }).nullable()
const Me = z.object({ id: z.string().min(1), appRoleAssignments: z.array(z.object({ appRoleId: z.string() })).nullish() })

// User and User Light: the built-in roles that may not create spaces.
const weakRoles = ['d7beeea8-8ff4-406b-8fb6-ab2dd81e6b11', '38071a68-456a-4553-846a-fa67bf5596cc']

// Every space of the installation comes in one answer, with its members on older releases: 1 kB and more each.
const longestList = 64_000_000

/** OpenCloud's libre-graph API, v1.0. `baseUrl` is the address that people see, without `/graph`. */
export function opencloud({ user, appToken, ...options }: OpenCloudOptions): FileStorage {
  const client = httpClient('files', `Basic ${Buffer.from(`${user}:${appToken}`).toString('base64')}`, options)

  const get = (operation: Operation, id: string) =>
    client.send(operation, {
      label: 'GET /v1.0/drives/{id}',
      method: 'GET',
      path: drivePath(id),
      repeatable: true,
      accept: [200, 404],
      read: ({ status, json }) => (status === 200 ? Drive.parse(json) : undefined),
    })

  /**
   * The space with our mark. Neither names nor marks are unique there: a creation that timed out may have been carried out after the
   * next run looked. Of several the same one is taken every time, one that lives and holds content first.
   */
  async function search(operation: Operation, alias: string): Promise<Drive | undefined> {
    const drives = await client.send(operation, {
      label: 'GET /v1.0/drives',
      method: 'GET',
      path: 'graph/v1.0/drives',
      // No filter on names or aliases exists; an unknown one is ignored.
      query: { $filter: "driveType eq 'project'" },
      repeatable: true,
      accept: [200],
      maxAnswerBytes: longestList,
      read: ({ json }) => Drives.parse(json)?.value ?? [],
    })
    const ours = drives.filter((drive) => drive.driveType === 'project' && drive.driveAlias === alias)
    return ours.sort(
      (a, b) => Number(isDisabled(a)) - Number(isDisabled(b)) || (b.quota?.used ?? 0) - (a.quota?.used ?? 0) || (a.id < b.id ? -1 : 1),
    )[0]
  }

  const create = (operation: Operation, space: { name: string; driveAlias: string; quota: { total: number } }) =>
    client.send(operation, {
      label: 'POST /v1.0/drives',
      method: 'POST',
      path: 'graph/v1.0/drives',
      body: { driveType: 'project', ...space },
      // A second request makes a second space. After a failure the next run searches for the mark first.
      repeatable: false,
      accept: [201],
      read: shaped(Drive),
    })

  const update = (operation: Operation, id: string, body: object, headers?: Record<string, string>) =>
    client.send(operation, {
      label: 'PATCH /v1.0/drives/{id}',
      method: 'PATCH',
      path: drivePath(id),
      headers,
      body,
      repeatable: true,
      accept: [200],
      addressesObject: true,
      read: shaped(Drive),
    })

  return {
    check: (callOptions) =>
      client.operation('check', callOptions, async (operation) => {
        const me = await client.send(operation, {
          label: 'GET /v1.0/me',
          method: 'GET',
          path: 'graph/v1.0/me',
          query: { $expand: 'appRoleAssignments' },
          repeatable: true,
          accept: [200],
          read: shaped(Me),
        })
        const roles = me.appRoleAssignments ?? []
        if (roles.length > 0 && roles.every(({ appRoleId }) => weakRoles.includes(appRoleId))) {
          throw operation.fail('unauthorized', { status: 200, note: 'the service user needs the role Admin' })
        }
        return { userId: me.id }
      }),

    ensureSpace: ({ spaceId, marker, name, quotaBytes }, callOptions) =>
      client.operation('ensureSpace', callOptions, async (operation) => {
        const driveAlias = `project/${marker}`
        const there = (spaceId ? await get(operation, spaceId) : undefined) ?? (await search(operation, driveAlias))
        if (!there) {
          const made = await create(operation, { name: spaceName(name, marker), driveAlias, quota: { total: quotaBytes } })
          return { id: made.id, created: true }
        }
        if (isDisabled(there)) await update(operation, there.id, {}, { restore: 'true' })
        if (there.quota?.total !== quotaBytes) await update(operation, there.id, { quota: { total: quotaBytes } })
        return { id: there.id, created: false }
      }),

    storage: (spaceId, callOptions) =>
      client.operation('storage', callOptions, async (operation) => {
        const drive = await get(operation, spaceId)
        return drive && spaceStorage(drive)
      }),

    disableSpace: (id, callOptions) =>
      client.operation('disableSpace', callOptions, (operation) =>
        client.send(operation, {
          label: 'DELETE /v1.0/drives/{id}',
          method: 'DELETE',
          path: drivePath(id),
          repeatable: true,
          accept: [204, 404],
          read: () => undefined,
        }),
      ),
  }
}

function drivePath(id: string): string {
  return `graph/v1.0/drives/${encodeURIComponent(id)}`
}

function isDisabled(drive: Drive): boolean {
  return drive.root?.deleted?.state === 'trashed'
}

const states = ['normal', 'nearing', 'critical', 'exceeded'] as const

function spaceStorage(drive: Drive): SpaceStorage {
  const { total, used, remaining, state } = drive.quota ?? {}
  return {
    total: limited(total),
    used: used ?? null,
    remaining: limited(total) === null ? null : limited(remaining, 0),
    state: isDisabled(drive) ? 'disabled' : (states.find((known) => known === state) ?? 'unknown'),
  }
}

/** A number of bytes, null when it stands for "no limit": absent, 0, or too large for a number of bytes. */
function limited(value: number | undefined, least = 1): number | null {
  return value === undefined || value < least || value > Number.MAX_SAFE_INTEGER ? null : value
}
