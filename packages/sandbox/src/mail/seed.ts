import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { Installation } from './installation.ts'
import { isObject, type JsonObject } from './json.ts'
import { utcDate } from './patch.ts'
import { registry } from './registry.ts'
import type { MailWorld } from './registry-type.ts'
import { hashPassword, hashSecret } from './secrets.ts'
import { initialValue } from './shapes.ts'
import type { ObjectName } from './store.ts'

/**
 * What an installation holds that was set up for the platform: the default domain, and the service
 * account with its API key. Mailboxes and tenant domains come from the platform, through the
 * protocol.
 */
export function seedMail(world: MailWorld, defaultDomain: string): void {
  const createdAt = utcDate(world.now())
  const domainId = world.store.insert('Domain', {
    ...initialRecord('Domain'),
    name: defaultDomain,
    description: 'Default domain',
    dkimManagement: { '@type': 'Manual' },
    createdAt,
  })
  world.store.insert('Account', {
    ...initialRecord('Account'),
    name: 'platform',
    domainId,
    description: 'Workplace platform',
    roles: { '@type': 'Admin' },
    createdAt,
    credentials: {
      '0': {
        '@type': 'Password',
        credentialId: 'a',
        secret: hashPassword('sandbox-platform'),
        otpAuth: null,
        expiresAt: null,
        allowedIps: {},
      },
      '1': {
        '@type': 'ApiKey',
        credentialId: 'b',
        description: 'Workplace platform',
        secret: hashSecret(demoServiceCredentials.mailApiKey),
        createdAt,
        expiresAt: null,
        permissions: { '@type': 'Inherit' },
        allowedIps: {},
      },
    },
  })
}

/** What a bootstrap leaves: the default domain and the administrator. */
export function seedInstallation(world: MailWorld, { domain, admin }: Installation): void {
  const createdAt = utcDate(world.now())
  const record = { ...initialRecord('Domain'), name: domain, createdAt }
  const domainId = world.store.insert('Domain', record)
  // Its signing keys are made like those of any other domain.
  registry.Domain.stored?.(world, domainId, record, undefined)
  world.store.insert('Account', {
    ...initialRecord('Account'),
    name: 'admin',
    domainId,
    description: 'System administrator',
    roles: { '@type': 'Admin' },
    createdAt,
    credentials: {
      '0': {
        '@type': 'Password',
        credentialId: 'a',
        secret: hashPassword(admin?.password ?? ''),
        otpAuth: null,
        expiresAt: null,
        allowedIps: {},
      },
    },
  })
}

function initialRecord(object: ObjectName): JsonObject {
  const record = initialValue(registry[object].shape)
  return isObject(record) ? record : {}
}
