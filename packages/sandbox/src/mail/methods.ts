import { calendarMethods } from './calendars/methods.ts'
import { capabilities } from './capabilities.ts'
import { apiKeys, appPasswords, credentialGet, credentialSet } from './credentials.ts'
import { installationMethods } from './installation-methods.ts'
import type { Method } from './method.ts'
import { principalGet, principalQuery } from './principals.ts'
import { quotaGet } from './quotas.ts'
import { registry } from './registry.ts'
import { registryGet } from './registry-get.ts'
import { registryQuery } from './registry-query.ts'
import { registrySet } from './registry-set.ts'

const registryMethods: readonly (readonly [string, Method])[] = Object.values(registry).flatMap(
  (type) => [
    [
      `x:${type.name}/get`,
      { permission: `sys${type.name}Get`, accountId: 'optional', run: registryGet(type) },
    ],
    [
      `x:${type.name}/query`,
      { permission: `sys${type.name}Query`, accountId: 'optional', run: registryQuery(type) },
    ],
    [`x:${type.name}/set`, { accountId: 'optional', run: registrySet(type) }],
  ],
)

const credentialMethods: readonly (readonly [string, Method])[] = [apiKeys, appPasswords].flatMap(
  (type) => [
    [
      `x:${type.name}/get`,
      { permission: `sys${type.name}Get`, accountId: 'optional', run: credentialGet(type) },
    ],
    [`x:${type.name}/set`, { accountId: 'optional', run: credentialSet(type) }],
  ],
)

const directoryMethods: readonly (readonly [string, Method])[] = [
  [
    'Core/echo',
    {
      capability: capabilities.core,
      permission: 'jmapCoreEcho',
      accountId: 'optional',
      run: ({ args }) => args,
    },
  ],
  [
    'Principal/get',
    {
      capability: capabilities.principals,
      permission: 'jmapPrincipalGet',
      accountId: 'required',
      run: principalGet,
    },
  ],
  [
    'Principal/query',
    {
      capability: capabilities.principals,
      permission: 'jmapPrincipalQuery',
      accountId: 'required',
      run: principalQuery,
    },
  ],
  [
    'Quota/get',
    {
      capability: capabilities.quota,
      permission: 'jmapQuotaGet',
      accountId: 'required',
      run: quotaGet,
    },
  ],
]

/**
 * Methods by name. A folder for another JMAP object adds its own table of the same shape here, as
 * calendars do; the dispatcher, references, access checks and limits are shared.
 */
export const methods: ReadonlyMap<string, Method> = new Map([
  ...registryMethods,
  ...credentialMethods,
  ...directoryMethods,
  ...calendarMethods,
  ...installationMethods,
])
