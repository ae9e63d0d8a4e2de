import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import type { MailAddress } from './port.ts'
import { readObjects } from './stalwart-objects.ts'

export interface StoredAddress {
  /** Local part. */
  name: string
  domainId: string
}

/** As the server keeps it. */
export function storedAddress({ localPart, domainId }: MailAddress): StoredAddress {
  return { name: localPart.toLowerCase(), domainId }
}

export function sameAddress(one: StoredAddress, other: StoredAddress): boolean {
  return one.name === other.name && one.domainId === other.domainId
}

/** Names of the domains that are there, by id. */
export async function domainNames(
  operation: Operation,
  client: HttpClient,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const shape = z.object({ id: z.string().min(1), name: z.string().min(1) })
  const domains = await readObjects(operation, client, 'Domain', {
    ids,
    properties: ['name'],
    shape,
  })
  return new Map(domains.map(({ id, name }) => [id, name]))
}
