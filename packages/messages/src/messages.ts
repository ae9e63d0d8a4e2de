import type bookingForm from './en/booking/form.json'
import type bookingFrame from './en/booking/frame.json'
import type bookingManage from './en/booking/manage.json'
import type bookingOffers from './en/booking/offers.json'
import type bookingTimes from './en/booking/times.json'
import type operatorAccessGrants from './en/operator/access-grants.json'
import type operatorAudit from './en/operator/audit.json'
import type operatorBilling from './en/operator/billing.json'
import type operatorBookkeeping from './en/operator/bookkeeping.json'
import type operatorDashboard from './en/operator/dashboard.json'
import type operatorDocuments from './en/operator/documents.json'
import type operatorFlags from './en/operator/flags.json'
import type operatorInvoices from './en/operator/invoices.json'
import type operatorLayout from './en/operator/layout.json'
import type operatorMail from './en/operator/mail.json'
import type operatorPartners from './en/operator/partners.json'
import type operatorPayouts from './en/operator/payouts.json'
import type operatorPrices from './en/operator/prices.json'
import type operatorReports from './en/operator/reports.json'
import type operatorSubscriptions from './en/operator/subscriptions.json'
import type operatorSystem from './en/operator/system.json'
import type operatorTenants from './en/operator/tenants.json'
import type operatorUsers from './en/operator/users.json'
import type operatorWebhooks from './en/operator/webhooks.json'
import type portalAccessGrants from './en/portal/access-grants.json'
import type portalAddressClaims from './en/portal/address-claims.json'
import type portalAliases from './en/portal/aliases.json'
import type portalApprovals from './en/portal/approvals.json'
import type portalAudit from './en/portal/audit.json'
import type portalBilling from './en/portal/billing.json'
import type portalBillingAddress from './en/portal/billing-address.json'
import type portalBillingInfo from './en/portal/billing-info.json'
import type portalBranding from './en/portal/branding.json'
import type portalDevices from './en/portal/devices.json'
import type portalDirectory from './en/portal/directory.json'
import type portalDomains from './en/portal/domains.json'
import type portalLayout from './en/portal/layout.json'
import type portalLists from './en/portal/lists.json'
import type portalMemberImport from './en/portal/member-import.json'
import type portalMembers from './en/portal/members.json'
import type portalMfa from './en/portal/mfa.json'
import type portalPartner from './en/portal/partner.json'
import type portalPartnerBranding from './en/portal/partner-branding.json'
import type portalPartnerCustomers from './en/portal/partner-customers.json'
import type portalPartnerEarnings from './en/portal/partner-earnings.json'
import type portalPartnerPayouts from './en/portal/partner-payouts.json'
import type portalPartnerReports from './en/portal/partner-reports.json'
import type portalPartnerSettings from './en/portal/partner-settings.json'
import type portalPartnerStaff from './en/portal/partner-staff.json'
import type portalProfile from './en/portal/profile.json'
import type portalScheduling from './en/portal/scheduling.json'
import type portalSchedulingAvailability from './en/portal/scheduling-availability.json'
import type portalSchedulingBookingPage from './en/portal/scheduling-booking-page.json'
import type portalSchedulingBookings from './en/portal/scheduling-bookings.json'
import type portalSchedulingEventTypes from './en/portal/scheduling-event-types.json'
import type portalSchedulingHosts from './en/portal/scheduling-hosts.json'
import type portalSearch from './en/portal/search.json'
import type portalSecurityPolicy from './en/portal/security-policy.json'
import type portalSession from './en/portal/session.json'
import type portalSso from './en/portal/sso.json'
import type portalStorage from './en/portal/storage.json'
import type portalSubscriptions from './en/portal/subscriptions.json'
import type portalTenantNotices from './en/portal/tenant-notices.json'
import type portalTenants from './en/portal/tenants.json'
import type serverDomainChecks from './en/server/domain-checks.json'
import type serverErrors from './en/server/errors.json'
import type serverFailures from './en/server/failures.json'
import type serverHealth from './en/server/health.json'
import type serverMailTemplates from './en/server/mail-templates.json'
import type serverPages from './en/server/pages.json'
import type accessGrants from './en/ui/access-grants.json'
import type account from './en/ui/account.json'
import type audit from './en/ui/audit.json'
import type frame from './en/ui/frame.json'
import type invitations from './en/ui/invitations.json'
import type issues from './en/ui/issues.json'
import type labels from './en/ui/labels.json'
import type payouts from './en/ui/payouts.json'
import type reports from './en/ui/reports.json'
import type serviceTokens from './en/ui/service-tokens.json'
import type tenants from './en/ui/tenants.json'
import type webhookEndpoints from './en/ui/webhook-endpoints.json'

/**
 * The catalogue: every text that people read, by area and domain. `ui.labels` is the file
 * `<language>/ui/labels.json`. Types come from the English files; a test compares the
 * other languages with them.
 */
export interface Messages {
  booking: {
    form: typeof bookingForm
    frame: typeof bookingFrame
    manage: typeof bookingManage
    offers: typeof bookingOffers
    times: typeof bookingTimes
  }
  operator: {
    'access-grants': typeof operatorAccessGrants
    audit: typeof operatorAudit
    billing: typeof operatorBilling
    bookkeeping: typeof operatorBookkeeping
    dashboard: typeof operatorDashboard
    documents: typeof operatorDocuments
    flags: typeof operatorFlags
    invoices: typeof operatorInvoices
    layout: typeof operatorLayout
    mail: typeof operatorMail
    partners: typeof operatorPartners
    payouts: typeof operatorPayouts
    prices: typeof operatorPrices
    reports: typeof operatorReports
    subscriptions: typeof operatorSubscriptions
    system: typeof operatorSystem
    tenants: typeof operatorTenants
    users: typeof operatorUsers
    webhooks: typeof operatorWebhooks
  }
  portal: {
    'access-grants': typeof portalAccessGrants
    'address-claims': typeof portalAddressClaims
    aliases: typeof portalAliases
    approvals: typeof portalApprovals
    audit: typeof portalAudit
    'billing-address': typeof portalBillingAddress
    'billing-info': typeof portalBillingInfo
    billing: typeof portalBilling
    branding: typeof portalBranding
    devices: typeof portalDevices
    directory: typeof portalDirectory
    domains: typeof portalDomains
    layout: typeof portalLayout
    lists: typeof portalLists
    'member-import': typeof portalMemberImport
    members: typeof portalMembers
    mfa: typeof portalMfa
    partner: typeof portalPartner
    'partner-branding': typeof portalPartnerBranding
    'partner-customers': typeof portalPartnerCustomers
    'partner-earnings': typeof portalPartnerEarnings
    'partner-payouts': typeof portalPartnerPayouts
    'partner-reports': typeof portalPartnerReports
    'partner-settings': typeof portalPartnerSettings
    'partner-staff': typeof portalPartnerStaff
    profile: typeof portalProfile
    scheduling: typeof portalScheduling
    'scheduling-availability': typeof portalSchedulingAvailability
    'scheduling-booking-page': typeof portalSchedulingBookingPage
    'scheduling-bookings': typeof portalSchedulingBookings
    'scheduling-event-types': typeof portalSchedulingEventTypes
    'scheduling-hosts': typeof portalSchedulingHosts
    search: typeof portalSearch
    'security-policy': typeof portalSecurityPolicy
    session: typeof portalSession
    sso: typeof portalSso
    storage: typeof portalStorage
    subscriptions: typeof portalSubscriptions
    'tenant-notices': typeof portalTenantNotices
    tenants: typeof portalTenants
  }
  server: {
    'domain-checks': typeof serverDomainChecks
    errors: typeof serverErrors
    failures: typeof serverFailures
    health: typeof serverHealth
    'mail-templates': typeof serverMailTemplates
    pages: typeof serverPages
  }
  ui: {
    'access-grants': typeof accessGrants
    account: typeof account
    audit: typeof audit
    frame: typeof frame
    invitations: typeof invitations
    issues: typeof issues
    labels: typeof labels
    payouts: typeof payouts
    reports: typeof reports
    'service-tokens': typeof serviceTokens
    tenants: typeof tenants
    'webhook-endpoints': typeof webhookEndpoints
  }
}

type DomainsOf<Area extends keyof Messages> = `${Area}.${keyof Messages[Area] & string}`

/** The name of a file of messages, such as `portal.members`. */
export type MessageFile = { [Area in keyof Messages]: DomainsOf<Area> }[keyof Messages]

/** The messages of one file. */
export type MessagesOf<File extends MessageFile> = File extends `${infer Area}.${infer Domain}`
  ? Area extends keyof Messages
    ? Domain extends keyof Messages[Area]
      ? Extract<Messages[Area][Domain], object>
      : never
    : never
  : never
