import { mailTemplates } from '@atrium/messages/mail-templates'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateVariable,
} from './email-layout.ts'
import type { PlatformTemplateKey } from './template-keys.ts'

const partner: TemplateVariable = {
  name: 'partner.name',
  description: 'Name of the partner',
  sample: 'North Resale',
}

/**
 * Messages from the platform itself, to people of partners. `tenant.name` is the platform's own
 * name in them.
 */
export const platformEmails = {
  'partner.invited': {
    title: 'Invitation to a partner',
    description: 'Sent to somebody who is to join the staff of a partner.',
    variables: [
      ...commonVariables,
      partner,
      { name: 'person.name', description: 'Name of the person', sample: 'Pia Partner' },
      { name: 'inviter.name', description: 'Who invited the person', sample: 'Olga Owner' },
      {
        name: 'link.access',
        description: 'Link to accept the invitation; works once',
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
  'payout.paid': {
    title: 'Payout',
    description: 'Sent to the contact of a partner when a payout was made.',
    variables: [
      ...commonVariables,
      partner,
      { name: 'payout.amount', description: 'Amount with its currency', sample: '€1,240.50' },
      { name: 'payout.statement', description: 'Number of the statement', sample: 'NORTH-2026-07' },
      {
        name: 'payout.reference',
        description: 'Reference of the transfer; may be empty',
        sample: 'SEPA 4711',
      },
      {
        name: 'link.payouts',
        description: 'Where the statement is; may be empty',
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
    title: 'Flag turned off by a guard',
    description: 'Sent to the owner of a feature flag when one of its guard rules turned it off.',
    variables: [
      ...commonVariables,
      { name: 'flag.key', description: 'Key of the flag', sample: 'new_billing_engine' },
      {
        name: 'flag.signal',
        description: 'What was counted',
        sample: 'Payment attempts that failed',
      },
      { name: 'flag.threshold', description: 'Share that the rule allows', sample: '5%' },
      { name: 'flag.rateOn', description: 'Share among tenants with the flag', sample: '12.5%' },
      { name: 'flag.rateOff', description: 'Share among tenants without it', sample: '0.8%' },
      { name: 'flag.minutes', description: 'Length of the window in minutes', sample: '30' },
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
} as const satisfies Record<PlatformTemplateKey, TemplateDefinition>
