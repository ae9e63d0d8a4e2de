import { newSecret, writeServiceToken } from '@atrium/api/platform/service-token'
import { type ServiceScope, scopesOfKind } from '@atrium/core/service-tokens/scopes'
import {
  insertServiceToken as insert,
  type NewServiceToken,
  type TokenOwner,
} from '@atrium/db/service-tokens/service-tokens'
import type { TestApp } from './test-app.ts'

/** Stores an active service token with every scope it can have, unless given others. */
export async function insertServiceToken(
  testApp: TestApp,
  owner: TokenOwner,
  fields: Partial<Omit<NewServiceToken, 'secretHash'>> = {},
): Promise<{ id: string; token: string }> {
  const now = testApp.app.services.clock.now()
  const { secret, secretHash } = newSecret()
  const id = await testApp.database.db.transaction().execute((trx) =>
    insert(trx, owner, {
      name: 'A program',
      scopes: scopesOfKind[owner.kind] as ServiceScope[],
      networks: [],
      createdBy: null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 90 * 86_400_000),
      remindedDays: null,
      ...fields,
      secretHash,
    }),
  )
  return { id, token: writeServiceToken(id, secret) }
}
