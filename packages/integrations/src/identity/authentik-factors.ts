import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { userKey } from './authentik-paths.ts'
import type { IdentityDevice, IdentityProvider } from './port.ts'
import { Devices } from './records.ts'

/** The kinds that have an administrative endpoint of their own. */
const removable: readonly string[] = ['totp', 'webauthn', 'static', 'sms', 'email', 'duo']

/**
 * Second factors. The token needs the right to view and delete each kind of authenticator: those
 * that it may not see are missing without a word.
 */
export function authentikFactors(
  client: HttpClient,
): Pick<IdentityProvider, 'secondFactors' | 'listDevices' | 'removeDevice' | 'removeDevices'> {
  async function devicesOf(operation: Operation, userId: string): Promise<IdentityDevice[]> {
    const devices = await client.send(operation, {
      label: 'GET /authenticators/admin/all/',
      method: 'GET',
      path: 'api/v3/authenticators/admin/all/',
      // Without a user, the response contains all users' entries, and no entry names its user.
      query: { user: String(userKey(operation, userId)) },
      repeatable: true,
      // 400 is what a key that no user has gets.
      accept: [200, 400],
      read: ({ status, json }) => (status === 200 ? Devices.parse(json) : undefined),
    })
    if (!devices) throw operation.fail('not_found', { status: 400 })
    return devices.map(({ pk, name, type, confirmed, created, last_used }) => ({
      id: pk,
      kind: kindOf(type),
      name,
      confirmed,
      createdAt: created,
      lastUsedAt: last_used ?? null,
    }))
  }

  /** Whether this call removed it; false when it was gone already. */
  async function remove(operation: Operation, { kind, id }: IdentityDevice): Promise<boolean> {
    const status = await client.send(operation, {
      label: `DELETE /authenticators/admin/${kind}/{id}/`,
      method: 'DELETE',
      path: `api/v3/authenticators/admin/${kind}/${encodeURIComponent(id)}/`,
      repeatable: true,
      accept: [204, 404],
      read: (response) => response.status,
    })
    return status === 204
  }

  return {
    secondFactors: (userId, options) =>
      client.operation('secondFactors', options, async (operation) => {
        const counts: Record<string, number> = {}
        for (const { kind, confirmed } of await devicesOf(operation, userId)) {
          // The list holds those as well whose setup was begun and never finished.
          if (confirmed) counts[kind] = (counts[kind] ?? 0) + 1
        }
        return counts
      }),

    listDevices: (userId, options) =>
      client.operation('listDevices', options, (operation) => devicesOf(operation, userId)),

    removeDevice: ({ userId, kind, id }, options) =>
      client.operation('removeDevice', options, async (operation) => {
        const device = (await devicesOf(operation, userId)).find(
          (one) => one.kind === kind && one.id === id,
        )
        if (!device) throw operation.fail('not_found', { note: 'the user has no such device' })
        if (!removable.includes(kind))
          throw operation.fail('refused', { note: 'devices of this kind cannot be removed' })
        await remove(operation, device)
      }),

    removeDevices: (userId, options) =>
      client.operation('removeDevices', options, async (operation) => {
        let removed = 0
        for (const device of await devicesOf(operation, userId))
          if (removable.includes(device.kind) && (await remove(operation, device))) removed += 1
        return { removed }
      }),
  }
}

/**
 * `authentik_stages_authenticator_totp.TOTPDevice` is `totp`. A model outside that family goes by
 * the name of its app.
 */
function kindOf(type: string): string {
  const app = type.split('.', 1)[0] ?? ''
  const kind = app.replace(/^authentik_stages_authenticator_/, '').toLowerCase()
  return /^[a-z][a-z0-9_]{0,60}$/.test(kind) ? kind : 'other'
}
