import type { InboxHealth } from '@atrium/core/billing/billing'
import { readInboxFigures } from '@atrium/db/billing/webhook-inbox'
import type { Services } from '../../rpc/services.ts'

/** How far behind the inbox of payment events is. */
export async function readInboxHealth({ database }: Services): Promise<InboxHealth> {
  const { lastReceivedAt, ...figures } = await readInboxFigures(database.db)
  return { ...figures, lastReceivedAt: lastReceivedAt?.toISOString() ?? null }
}
