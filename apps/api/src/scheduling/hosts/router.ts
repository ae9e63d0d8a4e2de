import {
  BookingPagePath,
  BookingPageView,
  CreateHost,
  CredentialView,
  FreeBusyView,
  HostFreeBusy,
  HostPage,
  HostPath,
  HostView,
  ListHosts,
  RemoveHost,
  SetMailCredential,
  UpdateBookingPage,
  UpdateHost,
} from '@atrium/core/scheduling/hosts'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { tenantActionErrors } from '../bookings/errors.ts'
import { checkMailbox } from '../calendars/check-mailbox.ts'
import { connectMailbox } from '../calendars/connect-mailbox.ts'
import { disconnectMailbox } from '../calendars/disconnect-mailbox.ts'
import { getBookingPage, updateBookingPage } from '../public/booking-page.ts'
import { createHost } from './create.ts'
import { hostFreeBusy } from './free-busy.ts'
import { getHost, listHosts } from './get.ts'
import { removeHost } from './remove.ts'
import { updateHost } from './update.ts'

const tags = ['scheduling']
const path = '/api/v1/tenants/{slug}/hosts' as const
const one = `${path}/{hostId}` as const
const credential = `${one}/mail-credential` as const
const page = '/api/v1/tenants/{slug}/booking-page' as const

/** Members act for the host that they are, admins and operators for all. */
export const hostsRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path, tags, summary: 'List the hosts of a tenant' },
    })
    .input(ListHosts)
    .output(HostPage)
    .query(({ ctx }) => listHosts(ctx, ctx.access)),
  create: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'POST', path, tags, summary: 'Make a member a host' },
      audit: 'host.created',
      creates: true,
      errors: [
        'already_exists',
        'scheduling_not_configured',
        'not_admin',
        'member_not_active',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(CreateHost)
    .output(HostView)
    .mutation(({ ctx, input }) => createHost(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path: one, tags, summary: 'Read a host' },
    })
    .input(HostPath)
    .output(HostView)
    .query(({ ctx, input }) => getHost(ctx, ctx.access, input.hostId)),
  update: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'PATCH', path: one, tags, summary: 'Change a host' },
      audit: 'host.updated',
      errors: [
        'version_conflict',
        'already_exists',
        'not_admin',
        'member_not_active',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(UpdateHost)
    .output(HostView)
    .mutation(({ ctx, input }) => updateHost(ctx, ctx.access, input)),
  remove: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'DELETE', path: one, tags, summary: 'Remove a host with its event types' },
      audit: 'host.removed',
      errors: [...tenantActionErrors, 'host_in_use'],
    })
    .input(RemoveHost)
    .output(z.void())
    .mutation(({ ctx, input }) => removeHost(ctx, ctx.access, input)),
  connect: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'PUT', path: credential, tags, summary: "Connect the host's mailbox" },
      audit: 'mail_credential.set',
      errors: [
        'integration_off',
        'member_not_active',
        'scheduling_not_configured',
        'mailbox_missing',
        'upstream_failed',
        'not_admin',
        'limit_reached',
        'calendar_unavailable',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(SetMailCredential)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => connectMailbox(ctx, ctx.access, input)),
  disconnect: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'DELETE',
        path: credential,
        tags,
        summary: "Erase and revoke the host's credential",
      },
      audit: 'mail_credential.removed',
      errors: ['not_admin', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(HostPath)
    .output(z.void())
    .mutation(({ ctx, input }) => disconnectMailbox(ctx, ctx.access, input.hostId)),
  check: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `${credential}/check`,
        tags,
        summary: "Try the host's credential out",
      },
      errors: [
        'scheduling_not_configured',
        'host_not_connected',
        'not_admin',
        'calendar_unavailable',
      ],
    })
    .input(HostPath)
    .output(CredentialView)
    .mutation(({ ctx, input }) => checkMailbox(ctx, ctx.access, input.hostId)),
  freeBusy: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: {
        method: 'GET',
        path: `${one}/free-busy`,
        tags,
        summary: 'When a host is not free',
      },
      errors: [
        'host_not_connected',
        'scheduling_not_configured',
        'range_too_long',
        'calendar_unavailable',
      ],
    })
    .input(HostFreeBusy)
    .output(FreeBusyView)
    .query(({ ctx, input }) => hostFreeBusy(ctx, ctx.access, input)),
  page: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path: page, tags, summary: "Read the booking page's settings" },
    })
    .input(BookingPagePath)
    .output(BookingPageView)
    .query(({ ctx }) => getBookingPage(ctx, ctx.access)),
  updatePage: adminOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'PATCH', path: page, tags, summary: "Change the booking page's settings" },
      audit: 'booking_page.updated',
      errors: ['version_conflict', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(UpdateBookingPage)
    .output(BookingPageView)
    .mutation(({ ctx, input }) => updateBookingPage(ctx, ctx.access, input)),
})
