import { createHash } from 'node:crypto'
import type { Drive } from './records.ts'
import { spaceRoles } from './roles.ts'
import type { FilesWorld } from './world.ts'

/**
 * What `remaining` says of an unlimited space: 2^63 - 1, which JavaScript cannot hold in a number.
 */
export const unlimitedRemaining = 9_223_372_036_854_775_807n

/** The `quota` of a drive. A disabled space shows its total only. */
export function quotaView(drive: Drive): Record<string, unknown> {
  if (drive.trashed) return { total: drive.total }
  if (drive.total === 0)
    return { remaining: unlimitedRemaining, state: 'normal', total: 0, used: drive.used }
  return {
    remaining: Math.max(0, drive.total - drive.used),
    state: quotaState(drive.used / drive.total),
    total: drive.total,
    used: drive.used,
  }
}

function quotaState(share: number): string {
  if (share <= 0.75) return 'normal'
  if (share <= 0.9) return 'nearing'
  return share <= 0.99 ? 'critical' : 'exceeded'
}

/** A drive as `/v1.0` shows it. Members appear with the words of old roles. */
export function driveView(world: FilesWorld, drive: Drive): Record<string, unknown> {
  const origin = world.origin()
  const permissions = drive.grants.map((grant) => ({
    grantedToIdentities: [
      {
        [grant.kind]: {
          displayName: world.names.of(grant.kind, grant.targetId) ?? '',
          id: grant.targetId,
        },
      },
    ],
    roles: [spaceRoles.find((role) => role.id === grant.roleId)?.legacyName ?? 'viewer'],
  }))
  return {
    ...(drive.description !== undefined &&
      drive.description !== '' && { description: drive.description }),
    driveAlias: drive.driveAlias,
    driveType: drive.driveType,
    id: drive.id,
    lastModifiedDateTime: new Date(drive.lastModified).toISOString(),
    name: drive.name,
    owner: {
      user: {
        displayName:
          drive.driveType === 'personal' ? (world.names.of('user', drive.ownerId) ?? '') : '',
        id: drive.ownerId,
      },
    },
    quota: quotaView(drive),
    root: {
      ...(drive.trashed && { deleted: { state: 'trashed' } }),
      eTag: `"${createHash('md5').update(`${drive.id} ${drive.lastModified} ${drive.used}`).digest('hex')}"`,
      id: drive.id,
      ...(drive.driveType === 'project' && { permissions }),
      webDavUrl: `${origin}/dav/spaces/${drive.id}`,
    },
    webUrl: `${origin}/f/${drive.id}`,
  }
}
