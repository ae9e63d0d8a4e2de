import type { Db } from '@atrium/db/platform/connect'
import { DecryptionError } from '@atrium/db/platform/encryption'
import {
  listMailCredentials,
  listSealedLinks,
  resealLink,
  resealMailCredential,
} from '@atrium/db/scheduling/sealed-values'
import {
  listEndpointSecrets,
  resealEndpointSecret,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { endpointSecretContext } from '../../platform/endpoint-secret-context.ts'
import type { Services } from '../../rpc/services.ts'
import { manageContext } from '../public/manage-token.ts'
import { secretContext } from './access.ts'

const perRun = 50

interface SealedColumn {
  contextOf: (id: string) => string
  /** In the order of the ids, after this one. */
  list: (
    db: Db,
    after: string | undefined,
    limit: number,
  ) => Promise<{ id: string; sealed: Buffer }[]>
  /** Writes it again unless it was replaced since it was read. */
  reseal: (db: Db, id: string, before: Buffer, after: Buffer) => Promise<boolean>
}

const columns: readonly SealedColumn[] = [
  { contextOf: secretContext, list: listMailCredentials, reseal: resealMailCredential },
  { contextOf: manageContext, list: listSealedLinks, reseal: resealLink },
  ...(['secret', 'previous_secret'] as const).map((column) => ({
    contextOf: endpointSecretContext,
    list: (db: Db, after: string | undefined, limit: number) =>
      listEndpointSecrets(db, column, after, limit),
    reseal: (db: Db, id: string, before: Buffer, after: Buffer) =>
      resealEndpointSecret(db, column, id, before, after),
  })),
]

/**
 * Encrypts with the first key what was encrypted with another one, so that the other can be
 * dropped: hosts' credentials, the tokens of manage links and the secrets of webhook endpoints.
 * Returns how many were written again and how many no listed key opens. What is replaced meanwhile
 * is left alone: it has the first key already.
 */
export async function rotateKeys(
  services: Services,
): Promise<{ renewed: number; unreadable: number }> {
  const counts = { renewed: 0, unreadable: 0 }
  for (const column of columns) {
    const { renewed, unreadable } = await rotateColumn(services, column)
    counts.renewed += renewed
    counts.unreadable += unreadable
  }
  if (counts.renewed > 0)
    services.log.info(counts, 're-encrypted stored secrets with the first key')
  return counts
}

async function rotateColumn(
  services: Services,
  { contextOf, list, reseal }: SealedColumn,
): Promise<{ renewed: number; unreadable: number }> {
  const { keyring } = services.config
  const counts = { renewed: 0, unreadable: 0 }
  if (!keyring) return counts
  const { db } = services.database
  let after: string | undefined
  for (;;) {
    const rows = await list(db, after, perRun)
    for (const { id, sealed } of rows) {
      try {
        if (keyring.isCurrent(sealed)) continue
        const context = contextOf(id)
        if (
          await reseal(db, id, sealed, keyring.encrypt(keyring.decrypt(sealed, context), context))
        )
          counts.renewed++
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        counts.unreadable++
        services.log.error(
          { err: error, place: contextOf(id) },
          'stored secret cannot be decrypted with the listed keys',
        )
      }
    }
    after = rows.at(-1)?.id
    if (rows.length < perRun) return counts
  }
}
