import { PartnerOverview } from '@atrium/core/partners/partner-overview'
import {
  ChangeStaffAccess,
  InviteStaff,
  ListStaff,
  StaffInvitation,
  StaffPage,
  StaffPath,
  StaffView,
} from '@atrium/core/partners/partner-team'
import {
  CreatePartner,
  CustomerPage,
  CustomerView,
  ListCustomers,
  ListPartners,
  ListPartnerTenants,
  PartnerBrandingView,
  PartnerMargins,
  PartnerPage,
  PartnerPath,
  PartnerSettingsView,
  PartnerView,
  ResumeCustomer,
  SuspendCustomer,
  TenantSupport,
  TerminatePartner,
  UpdateCustomer,
  UpdatePartner,
  UpdatePartnerBranding,
  UpdatePartnerSettings,
} from '@atrium/core/partners/partners'
import {
  SavedReportPath,
  SavedReports,
  SavedReportView,
  SaveReport,
} from '@atrium/core/reports/saved-reports'
import { TenantPage, TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import {
  customerManager,
  memberOrOperator,
  operator,
  partnerFinanceReader,
  partnerManager,
  partnerOwner,
  partnerReader,
  partnerReportReader,
} from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { getPartnerBranding, updatePartnerBranding } from './branding.ts'
import { createPartner } from './create.ts'
import { listCustomers, resumeCustomer, suspendCustomer, updateCustomer } from './customers.ts'
import { getPartner, listPartnerMargins, listPartners, listPartnerTenants } from './get.ts'
import { inviteStaff } from './invite.ts'
import { getPartnerOverview } from './overview.ts'
import { deleteSavedReport, listSavedReports, saveReport } from './saved-reports.ts'
import { getPartnerSettings, getTenantSupport, updatePartnerSettings } from './settings.ts'
import { changeStaffAccess, listStaff, removeStaff } from './staff.ts'
import { terminatePartner, updatePartner } from './update.ts'

const tags = ['partners']
const path = '/partners/{slug}' as const

export const partnersRouter = router({
  create: operator
    .meta({
      scope: 'partners:write',
      openapi: { method: 'POST', path: '/partners', tags, summary: 'Create a partner' },
      audit: 'partner.created',
      errors: ['already_exists'],
    })
    .input(CreatePartner)
    .output(PartnerView)
    .mutation(({ ctx, input }) => createPartner(ctx, ctx.caller, input)),
  list: operator
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: '/partners',
        tags,
        summary: 'List partners with customers and revenue',
      },
    })
    .input(ListPartners)
    .output(PartnerPage)
    .query(({ ctx, input }) => listPartners(ctx, input)),
  get: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: { method: 'GET', path, tags, summary: 'Read a partner' },
    })
    .input(PartnerPath)
    .output(PartnerView)
    .query(({ ctx }) => getPartner(ctx, ctx.partnerAccess)),
  update: operator
    .meta({
      scope: 'partners:write',
      recentSignIn: 'when it has `marginPct`',
      openapi: { method: 'PATCH', path, tags, summary: 'Change, suspend or resume a partner' },
      audit: 'partner.updated',
      errors: ['edit_conflict', 'not_found', 'partner_terminated', 'already_exists'],
    })
    .input(UpdatePartner)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => input.marginPct !== undefined)
      return next()
    })
    .output(PartnerView)
    .mutation(({ ctx, input }) => updatePartner(ctx, ctx.caller, input)),
  terminate: operator
    .meta({
      scope: 'never',
      openapi: { method: 'DELETE', path, tags, summary: 'Terminate a partner for good' },
      audit: 'partner.terminated',
      errors: ['not_found', 'partner_terminated'],
    })
    .input(TerminatePartner)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => terminatePartner(ctx, ctx.caller, input)),
  tenants: operator
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/tenants`,
        tags,
        summary: 'List the tenants of a partner',
      },
      errors: ['not_found'],
    })
    .input(ListPartnerTenants)
    .output(TenantPage)
    .query(({ ctx, input }) => listPartnerTenants(ctx, ctx.caller, input)),
  margins: partnerFinanceReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/margins`,
        tags,
        summary: 'Read every margin of a partner, past and to come',
      },
    })
    .input(PartnerPath)
    .output(PartnerMargins)
    .query(({ ctx }) => listPartnerMargins(ctx, ctx.partnerAccess)),
  overview: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/overview`,
        tags,
        summary: 'Read how the business of a partner stands',
      },
    })
    .input(PartnerPath)
    .output(PartnerOverview)
    .query(({ ctx }) => getPartnerOverview(ctx, ctx.partnerAccess)),
  staff: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/users`,
        tags,
        summary: 'List the staff with access level and second factors',
      },
    })
    .input(ListStaff)
    .output(StaffPage)
    .query(({ ctx, input }) => listStaff(ctx, ctx.partnerAccess, input)),
  inviteStaff: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/users`,
        tags,
        summary: 'Invite a staff member',
      },
      audit: 'invitation.created',
      creates: true,
      errors: ['integration_off', 'already_exists', 'email_exists', 'email_taken'],
    })
    .input(InviteStaff)
    .concat(recentSignIn)
    .output(StaffInvitation)
    .mutation(({ ctx, input }) => inviteStaff(ctx, ctx.partnerAccess, input)),
  changeStaffAccess: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'PATCH',
        path: `${path}/users/{userId}`,
        tags,
        summary: 'Change the access level of a member of staff',
      },
      audit: 'partner_team.access_changed',
      errors: ['last_partner_owner'],
    })
    .input(ChangeStaffAccess)
    .concat(recentSignIn)
    .output(StaffView)
    .mutation(({ ctx, input }) => changeStaffAccess(ctx, ctx.partnerAccess, input)),
  removeStaff: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: `${path}/users/{userId}`,
        tags,
        summary: 'Remove a staff member',
      },
      audit: 'partner_team.removed',
      errors: ['last_partner_owner'],
    })
    .input(StaffPath)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeStaff(ctx, ctx.partnerAccess, input)),
  customers: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/customers`,
        tags,
        summary: 'List customers with health and revenue',
      },
    })
    .input(ListCustomers)
    .output(CustomerPage)
    .query(({ ctx, input }) => listCustomers(ctx, ctx.partnerAccess, input)),
  updateCustomer: customerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'PATCH',
        path: `${path}/customers/{tenantSlug}`,
        tags,
        summary: 'Change a customer',
      },
      audit: 'tenant.updated',
      errors: [
        'edit_conflict',
        'limit_reached',
        'not_admin',
        'domain_in_use',
        'tenant_deleted',
        'tenant_suspended',
        'partner_unavailable',
        'domain_not_verified',
        'already_exists',
        'billing_limited',
        'upstream_failed',
        'subscription_exists',
        'subscription_required',
        'primary_domain',
      ],
    })
    .input(UpdateCustomer)
    .output(CustomerView)
    .mutation(({ ctx, input }) => updateCustomer(ctx, ctx, input)),
  suspendCustomer: customerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'POST',
        path: `${path}/customers/{tenantSlug}/suspend`,
        tags,
        summary: 'Suspend a customer',
      },
      audit: 'tenant.suspended',
      errors: ['already_suspended', 'already_deleted', 'tenant_deleted'],
    })
    .input(SuspendCustomer)
    .output(CustomerView)
    .mutation(({ ctx, input }) => suspendCustomer(ctx, ctx, input)),
  resumeCustomer: customerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'POST',
        path: `${path}/customers/{tenantSlug}/resume`,
        tags,
        summary: 'End the suspension of a customer',
      },
      audit: 'tenant.resumed',
      errors: ['not_suspended', 'already_deleted', 'tenant_deleted'],
    })
    .input(ResumeCustomer)
    .output(CustomerView)
    .mutation(({ ctx, input }) => resumeCustomer(ctx, ctx, input)),
  settings: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/settings`,
        tags,
        summary: 'Read the settings of a partner',
      },
    })
    .input(PartnerPath)
    .output(PartnerSettingsView)
    .query(({ ctx }) => getPartnerSettings(ctx.services, ctx.partnerAccess)),
  updateSettings: partnerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'PATCH',
        path: `${path}/settings`,
        tags,
        summary: 'Change the settings of a partner',
      },
      audit: 'partner_settings.updated',
      errors: ['edit_conflict'],
    })
    .input(UpdatePartnerSettings)
    .output(PartnerSettingsView)
    .mutation(({ ctx, input }) => updatePartnerSettings(ctx, ctx.partnerAccess, input)),
  support: memberOrOperator
    .meta({
      scope: 'tenants:read',
      delegable: 'any',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/support',
        tags,
        summary: 'Read whom the people of a tenant turn to',
      },
    })
    .input(TenantPath)
    .output(TenantSupport)
    .query(({ ctx }) => getTenantSupport(ctx.services, ctx.access)),
  branding: partnerReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/branding`,
        tags,
        summary: 'Read the branding of a partner',
      },
    })
    .input(PartnerPath)
    .output(PartnerBrandingView)
    .query(({ ctx }) => getPartnerBranding(ctx.services, ctx.partnerAccess)),
  updateBranding: partnerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'PUT',
        path: `${path}/branding`,
        tags,
        summary: 'Change the branding of a partner',
      },
      audit: 'branding.updated',
      errors: ['edit_conflict'],
    })
    .input(UpdatePartnerBranding)
    .output(PartnerBrandingView)
    .mutation(({ ctx, input }) => updatePartnerBranding(ctx, ctx.partnerAccess, input)),
  savedReports: partnerReportReader
    .meta({
      scope: 'partners:read',
      openapi: {
        method: 'GET',
        path: `${path}/saved-reports`,
        tags,
        summary: 'List the saved reports of a partner',
      },
    })
    .input(PartnerPath)
    .output(SavedReports)
    .query(({ ctx }) => listSavedReports(ctx, ctx.partnerAccess)),
  saveReport: partnerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'POST',
        path: `${path}/saved-reports`,
        tags,
        summary: 'Save a report with its parameters',
      },
      audit: 'partner.report_saved',
      creates: true,
      errors: ['limit_reached', 'already_exists'],
    })
    .input(SaveReport)
    .output(SavedReportView)
    .mutation(({ ctx, input }) => saveReport(ctx, ctx.partnerAccess, input)),
  deleteSavedReport: partnerManager
    .meta({
      scope: 'partners:write',
      openapi: {
        method: 'DELETE',
        path: `${path}/saved-reports/{id}`,
        tags,
        summary: 'Delete a saved report',
      },
      audit: 'partner.report_deleted',
    })
    .input(SavedReportPath)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteSavedReport(ctx, ctx.partnerAccess, input)),
})
