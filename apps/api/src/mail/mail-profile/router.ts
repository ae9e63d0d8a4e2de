import { GetMailProfile, MailProfileView } from '@atrium/core/mail/mail-profile'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { getMailProfile } from './get.ts'

export const mailProfileRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/mail-profile',
        tags: ['members'],
        summary: 'Read what your own devices are set up with',
      },
    })
    .input(GetMailProfile)
    .output(MailProfileView)
    .query(({ ctx }) => getMailProfile(ctx, ctx.access)),
})
