import { pendingSubject } from '@atrium/db/pending-subject'
import type { UsageReading } from '@atrium/db/storage'
import type { House } from '../house.ts'
import type { Reader } from '../readings/refresh.ts'

/** Asks the file storage what people keep in their own space. Undefined where this installation has none. */
export function usageReader(house: House): Reader | undefined {
  const { files } = house.systems
  if (!files) return undefined
  return {
    kind: 'file_usage',
    async read({ email, fileAccountId, idpSubjectId }, signal): Promise<UsageReading> {
      // An account that provisioning did not make may have come with the first sign-in, under the address. Of somebody without an identity it
      // would be another person's.
      const known = fileAccountId !== null || !idpSubjectId.startsWith(pendingSubject)
      const accountId = fileAccountId ?? (known ? (await files.findAccount(email, { signal }))?.id : undefined)
      const bytes = accountId === undefined ? undefined : await files.accountUsage(accountId, { signal })
      return { bytes: bytes ?? null }
    },
  }
}
