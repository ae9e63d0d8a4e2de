import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { readDrive } from './opencloud-drive.ts'
import { drivePath } from './opencloud-paths.ts'
import type { FileStorage, SpaceStorage } from './port.ts'
import { Drive, Drives, isDisabled } from './records.ts'
import { spaceName } from './space-name.ts'

type SpaceMethods = Pick<FileStorage, 'ensureSpace' | 'storage' | 'disableSpace' | 'purgeSpace'>

// One response contains every space of the installation, on older releases with its members: 1 kB
// and more each.
const longestList = 64_000_000

/** Spaces of tenants. */
export function opencloudSpaces(client: HttpClient): SpaceMethods {
  /**
   * The space with our mark. Neither names nor marks are unique there: a creation that timed out
   * may have been carried out after the next run looked. Of several the same one is taken every
   * time, one that lives and holds content first.
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
      maxResponseBytes: longestList,
      read: ({ json }) => Drives.parse(json)?.value ?? [],
    })
    const ours = drives.filter(
      (drive) => drive.driveType === 'project' && drive.driveAlias === alias,
    )
    return ours.sort(
      (a, b) =>
        Number(isDisabled(a)) - Number(isDisabled(b)) ||
        (b.quota?.used ?? 0) - (a.quota?.used ?? 0) ||
        (a.id < b.id ? -1 : 1),
    )[0]
  }

  const create = (
    operation: Operation,
    space: { name: string; driveAlias: string; quota: { total: number } },
  ) =>
    client.send(operation, {
      label: 'POST /v1.0/drives',
      method: 'POST',
      path: 'graph/v1.0/drives',
      body: { driveType: 'project', ...space },
      // A second request makes a second space. After a failure the next run searches for the mark
      // first.
      repeatable: false,
      accept: [201],
      read: shaped(Drive),
    })

  const update = (
    operation: Operation,
    id: string,
    body: object,
    headers?: Record<string, string>,
  ) =>
    client.send(operation, {
      label: 'PATCH /v1.0/drives/{id}',
      method: 'PATCH',
      path: drivePath(operation, id),
      headers,
      body,
      repeatable: true,
      accept: [200],
      addressesObject: true,
      read: shaped(Drive),
    })

  const remove = (operation: Operation, id: string, headers?: Record<string, string>) =>
    client.send(operation, {
      label: 'DELETE /v1.0/drives/{id}',
      method: 'DELETE',
      path: drivePath(operation, id),
      headers,
      repeatable: true,
      accept: [204, 404],
      read: () => undefined,
    })

  return {
    ensureSpace: ({ spaceId, marker, name, quotaBytes }, callOptions) =>
      client.operation('ensureSpace', callOptions, async (operation) => {
        const driveAlias = `project/${marker}`
        const there =
          (spaceId ? await readDrive(client, operation, spaceId) : undefined) ??
          (await search(operation, driveAlias))
        if (!there) {
          const made = await create(operation, {
            name: spaceName(name, marker),
            driveAlias,
            quota: { total: quotaBytes },
          })
          return { id: made.id, created: true }
        }
        if (isDisabled(there)) await update(operation, there.id, {}, { restore: 'true' })
        const changes = {
          ...(there.name !== spaceName(name, marker) && { name: spaceName(name, marker) }),
          ...(there.quota?.total !== quotaBytes && { quota: { total: quotaBytes } }),
        }
        if (Object.keys(changes).length > 0) await update(operation, there.id, changes)
        return { id: there.id, created: false }
      }),

    storage: (spaceId, callOptions) =>
      client.operation('storage', callOptions, async (operation) => {
        const drive = await readDrive(client, operation, spaceId)
        return drive && spaceStorage(drive)
      }),

    disableSpace: (id, callOptions) =>
      client.operation('disableSpace', callOptions, (operation) => remove(operation, id)),

    purgeSpace: (id, callOptions) =>
      client.operation('purgeSpace', callOptions, async (operation) => {
        // Only a disabled space is purged.
        await remove(operation, id)
        await remove(operation, id, { purge: 'T' })
      }),
  }
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

/** A number of bytes; null for "no limit": absent, 0, or too large for a number of bytes. */
function limited(value: number | undefined, least = 1): number | null {
  return value === undefined || value < least || value > Number.MAX_SAFE_INTEGER ? null : value
}
