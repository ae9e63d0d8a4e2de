import type { AccessGrantsTables } from './access-grants.ts'
import type { AuditTables } from './audit.ts'
import type { BillingTables } from './billing.ts'
import type { EventsTables } from './events.ts'
import type { FlagsTables } from './flags.ts'
import type { HealthScoresTables } from './health-scores.ts'
import type { InvitationsTables } from './invitations.ts'
import type { MailTables } from './mail.ts'
import type { MembersTables } from './members.ts'
import type { PartnersTables } from './partners.ts'
import type { PayoutsTables } from './payouts.ts'
import type { PlatformTables } from './platform.ts'
import type { ReportsTables } from './reports.ts'
import type { SchedulingTables } from './scheduling.ts'
import type { ServiceTokensTables } from './service-tokens.ts'
import type { SubscriptionsTables } from './subscriptions.ts'
import type { TenantsTables } from './tenants.ts'
import type { UsersTables } from './users.ts'
import type { WebhookEndpointsTables } from './webhook-endpoints.ts'

/** Every table of the database, by its name. The tables of a domain are in the file of its name. */
export interface Tables
  extends AccessGrantsTables,
    AuditTables,
    BillingTables,
    EventsTables,
    FlagsTables,
    HealthScoresTables,
    InvitationsTables,
    MailTables,
    MembersTables,
    PartnersTables,
    PayoutsTables,
    PlatformTables,
    ReportsTables,
    SchedulingTables,
    ServiceTokensTables,
    SubscriptionsTables,
    TenantsTables,
    UsersTables,
    WebhookEndpointsTables {}
