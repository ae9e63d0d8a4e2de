import { mailTemplates } from '@atrium/messages/mail-templates'
import { addressEmails } from './address-emails.ts'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateVariable,
} from './email-layout.ts'
import type { PlatformTemplateKey } from './template-keys.ts'

const partner: TemplateVariable = {
  name: 'partner.name',
  sample: 'North Resale',
}

const access: TemplateVariable[] = [
  { name: 'customer.name', sample: 'Acme' },
  { name: 'access.person', sample: 'pia@north.example' },
  { name: 'access.organisation', sample: 'North Resale' },
  { name: 'access.role', sample: 'change' },
  { name: 'access.scopes', sample: 'members, mail' },
  { name: 'access.endsOn', sample: '28 July 2026 at 14:05 UTC' },
]
const accessLink: TemplateVariable = {
  name: 'link.grants',
  sample: 'https://portal.example/t/acme/security/access',
}

/**
 * Messages from the platform itself, to people of partners and about access. `tenant.name` is the
 * platform's own name in them.
 */
export const platformEmails = {
  ...addressEmails,
  'partner.invited': {
    variables: [
      ...commonVariables,
      partner,
      { name: 'person.name', sample: 'Pia Partner' },
      { name: 'inviter.name', sample: 'Olga Owner' },
      { name: 'invitation.days', sample: '7' },
      {
        name: 'link.access',
        sample: 'https://portal.example/invitation/…',
      },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.staffInvited,
        paragraphs: [texts.staffInvited.invitation, texts.staffInvited.link],
        action: { label: texts.staffInvited.action, link: 'link.access' },
        bold: 'partner.name',
      })
    },
  },
  'operator.invited': {
    variables: [
      ...commonVariables,
      { name: 'person.name', sample: 'Otto Operator' },
      { name: 'inviter.name', sample: 'Olga Operator' },
      { name: 'invitation.days', sample: '7' },
      {
        name: 'link.access',
        sample: 'https://portal.example/invitation/…',
      },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.operatorInvited,
        paragraphs: [texts.operatorInvited.invitation, texts.operatorInvited.link],
        action: { label: texts.operatorInvited.action, link: 'link.access' },
        bold: 'product.name',
      })
    },
  },
  'partner.approval_decided': {
    variables: [
      ...commonVariables,
      partner,
      { name: 'customer.name', sample: 'Acme' },
      { name: 'change.terms', sample: 'Business, 12 seats, €96.00 a month without tax' },
      { name: 'approval.outcome', sample: 'The owner approved your request.' },
      {
        name: 'link.customer',
        sample: 'https://portal.example/partner/customers?customer=acme',
      },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.approvalDecided,
        paragraphs: [texts.approvalDecided.outcome, texts.approvalDecided.request],
        action: { label: texts.approvalDecided.action, link: 'link.customer' },
        bold: 'change.terms',
      })
    },
  },
  'partner.customer_left': {
    variables: [
      ...commonVariables,
      partner,
      { name: 'customer.name', sample: 'Acme' },
      { name: 'link.customers', sample: 'https://portal.example/partner/customers' },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.customerLeft,
        paragraphs: [texts.customerLeft.left, texts.customerLeft.earned],
        action: { label: texts.customerLeft.action, link: 'link.customers' },
        bold: 'customer.name',
      })
    },
  },
  'tenant.partner_changed': {
    variables: [
      ...commonVariables,
      partner,
      { name: 'customer.name', sample: 'Acme' },
      { name: 'partner.change', sample: 'This partner manages your workplace from now on.' },
      { name: 'link.settings', sample: 'https://portal.example/t/acme/settings' },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.partnerChanged,
        paragraphs: [texts.partnerChanged.change, texts.partnerChanged.unexpected],
        action: { label: texts.partnerChanged.action, link: 'link.settings' },
        bold: 'partner.name',
      })
    },
  },
  'payout.paid': {
    variables: [
      ...commonVariables,
      partner,
      { name: 'payout.amount', sample: '€1,240.50' },
      { name: 'payout.statement', sample: 'NORTH-2026-07' },
      {
        name: 'payout.reference',
        sample: 'SEPA 4711',
      },
      {
        name: 'link.payouts',
        sample: 'https://portal.example/partner/payouts',
      },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.payoutPaid,
        paragraphs: [texts.payoutPaid.paid],
        action: { label: texts.payoutPaid.action, link: 'link.payouts' },
        bold: 'payout.amount',
      })
    },
  },
  'flag.rolled_back': {
    variables: [
      ...commonVariables,
      { name: 'flag.key', sample: 'new_billing_engine' },
      {
        name: 'flag.signal',
        sample: 'Failed payment attempts',
      },
      { name: 'flag.threshold', sample: '5%' },
      { name: 'flag.rateOn', sample: '12.5%' },
      { name: 'flag.rateOff', sample: '0.8%' },
      { name: 'flag.minutes', sample: '30' },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].platform
      return message(language, {
        ...texts.flagRolledBack,
        paragraphs: [
          texts.flagRolledBack.off,
          texts.flagRolledBack.rates,
          texts.flagRolledBack.turnOn,
        ],
        bold: 'flag.rateOn',
      })
    },
  },
  'access.requested': {
    variables: [
      ...commonVariables,
      ...access,
      { name: 'access.expiresOn', sample: '4 August 2026' },
      accessLink,
    ],
    standard: (language) => {
      const { accessRequested: texts } = mailTemplates[language].platform
      return message(language, {
        ...texts,
        paragraphs: [texts.asks, texts.covers, texts.decide],
        action: { label: texts.action, link: 'link.grants' },
        bold: 'access.person',
      })
    },
  },
  'access.decided': {
    variables: [
      ...commonVariables,
      { name: 'customer.name', sample: 'Acme' },
      { name: 'access.outcome', sample: 'The owner approved your request.' },
      { name: 'access.endsOn', sample: '28 July 2026' },
      {
        name: 'link.customer',
        sample: 'https://portal.example/partner/customers?customer=acme',
      },
    ],
    standard: (language) => {
      const { accessDecided: texts } = mailTemplates[language].platform
      return message(language, {
        ...texts,
        paragraphs: [texts.outcome],
        action: { label: texts.action, link: 'link.customer' },
        bold: 'customer.name',
      })
    },
  },
  'access.break_glass': {
    variables: [
      ...commonVariables,
      ...access,
      { name: 'access.reason', sample: 'Mail is lost since 09:00' },
      accessLink,
    ],
    standard: (language) => {
      const { accessBreakGlass: texts } = mailTemplates[language].platform
      return message(language, {
        ...texts,
        paragraphs: [texts.began, texts.reason, texts.end],
        action: { label: texts.action, link: 'link.grants' },
        bold: 'access.person',
      })
    },
  },
  'service_token.expiring': {
    variables: [
      ...commonVariables,
      { name: 'service.name', sample: 'Directory sync' },
      { name: 'service.owner', sample: 'Acme' },
      { name: 'service.endsOn', sample: '28 July 2026' },
      { name: 'link.tokens', sample: 'https://portal.example/t/acme/service-tokens' },
    ],
    standard: (language) => {
      const { serviceTokenExpiring: texts } = mailTemplates[language].platform
      return message(language, {
        ...texts,
        paragraphs: [texts.ends, texts.rotate],
        action: { label: texts.action, link: 'link.tokens' },
        bold: 'service.name',
      })
    },
  },
  'webhook_endpoint.disabled': {
    variables: [
      ...commonVariables,
      { name: 'webhook.host', sample: 'hooks.acme.example' },
      { name: 'webhook.owner', sample: 'Acme' },
      { name: 'link.webhooks', sample: 'https://portal.example/t/acme/webhooks' },
    ],
    standard: (language) => {
      const { webhookEndpointDisabled: texts } = mailTemplates[language].platform
      return message(language, {
        ...texts,
        paragraphs: [texts.failed, texts.enable],
        action: { label: texts.action, link: 'link.webhooks' },
        bold: 'webhook.host',
      })
    },
  },
} as const satisfies Record<PlatformTemplateKey, TemplateDefinition>
