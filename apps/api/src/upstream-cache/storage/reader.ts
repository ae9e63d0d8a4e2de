import type { UsageEntry } from '@atrium/db/upstream-cache/storage'
import { isAccountOf } from '@atrium/integrations/files/port'
import type { Services } from '../../rpc/services.ts'
import type { Fetcher } from '../refresh.ts'

/**
 * Asks the file storage what people keep in their own space. Undefined where this installation has
 * none.
 */
export function usageFetcher(services: Services): Fetcher | undefined {
  const { files } = services.systems
  if (!files) return undefined
  return {
    kind: 'file_usage',
    async read({ id, email, fileAccountId, idpSubjectId: subject }, signal): Promise<UsageEntry> {
      const accountId = fileAccountId ?? (await findOwn())
      const bytes =
        accountId === undefined ? undefined : await files.accountUsage(accountId, { signal })
      return { bytes: bytes ?? null }

      /** An account that provisioning did not create may have come with the first sign-in. */
      async function findOwn(): Promise<string | undefined> {
        const account = await files?.findAccount(email, { signal })
        return account && isAccountOf(account, { id, subject }) ? account.id : undefined
      }
    },
  }
}
