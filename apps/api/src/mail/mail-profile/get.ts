import type { MailProfileView } from '@atrium/core/mail/mail-profile'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findBranding } from '@atrium/db/branding/branding'
import { findMailboxOfMember } from '@atrium/db/mail/mail-profile-links'
import { effectiveBranding } from '../../branding/get.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'

/**
 * The settings for the caller's own devices in this tenant. 404 for a caller without a mailbox
 * here.
 */
export async function getMailProfile(
  { services }: Context,
  { caller, tenant }: Access,
): Promise<MailProfileView> {
  const { db } = services.database
  const mailbox =
    caller.id === undefined ? undefined : await findMailboxOfMember(db, tenant.id, caller.id)
  if (!mailbox) throw new AppError('not_found', errorText('noMailboxToSetUp'))
  const branding = await findBranding(db, tenant.id)
  if (!branding) throw new AppError('not_found')
  return { ...mailbox, organisation: effectiveBranding(branding).productName }
}
