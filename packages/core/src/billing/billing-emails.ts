import { mailTemplates } from '@atrium/messages/mail-templates'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateVariable,
} from '../branding/email-layout.ts'

const plan: TemplateVariable = {
  name: 'subscription.plan',
  sample: 'Business',
}
const amount: TemplateVariable = {
  name: 'invoice.amount',
  sample: '€120.00',
}
const number: TemplateVariable = {
  name: 'invoice.number',
  sample: 'ACME-0042',
}
const billingLink: TemplateVariable = {
  name: 'link.billing',
  sample: 'https://portal.acme.example/t/acme/billing',
}
const invoiceLink: TemplateVariable = {
  name: 'link.invoice',
  sample: 'https://pay.example/invoice/sample',
}
const limitedOn: TemplateVariable = {
  name: 'subscription.limitedOn',
  sample: '28 July 2026',
}

const variable = (name: string, description: string, sample: string): TemplateVariable => ({
  name,
  description,
  sample,
})
const partnerName = variable('partner.name', 'Name of the partner', 'North Resale')
const changeTerms = variable(
  'change.terms',
  'Plan, seats and price after the change',
  'Business, 12 seats, €96.00 a month without tax',
)

/** Messages about subscriptions and invoices, to the billing contact and the owner of a tenant. */
export const billingEmails = {
  'subscription.past_due': {
    variables: [...commonVariables, plan, amount, limitedOn, billingLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.pastDue,
        paragraphs: [texts.pastDue.failed, texts.pastDue.whatFollows],
        action: { label: texts.checkCard, link: 'link.billing' },
        bold: 'invoice.amount',
      })
    },
  },
  'subscription.reminder': {
    variables: [...commonVariables, plan, amount, limitedOn, billingLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.reminder,
        paragraphs: [texts.reminder.open, texts.reminder.whatFollows],
        action: { label: texts.checkCard, link: 'link.billing' },
        bold: 'invoice.amount',
      })
    },
  },
  'subscription.trial_ending': {
    variables: [
      ...commonVariables,
      plan,
      {
        name: 'subscription.trialEnd',
        sample: '17 July 2026',
      },
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.trialEnding,
        paragraphs: [texts.trialEnding.ends, texts.trialEnding.beforeThen],
        action: { label: texts.trialEnding.action, link: 'link.billing' },
        bold: 'subscription.trialEnd',
      })
    },
  },
  'subscription.canceled': {
    title: 'Cancellation confirmed',
    description: 'Sent to billing contact and owner when the subscription was canceled.',
    variables: [
      ...commonVariables,
      plan,
      variable(
        'cancellation.receivedAt',
        'When the cancellation was received',
        '3 July 2026 at 14:05 UTC',
      ),
      variable('cancellation.endsAt', 'When the subscription ends', '31 July 2026 at 09:30 UTC'),
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.canceled,
        paragraphs: [texts.canceled.received, texts.canceled.ends],
        action: { label: texts.openBilling, link: 'link.billing' },
        bold: 'cancellation.endsAt',
      })
    },
  },
  'subscription.renewal': {
    title: 'Yearly renewal ahead',
    description: 'Sent to billing contact and owner before a yearly subscription renews.',
    variables: [
      ...commonVariables,
      plan,
      variable('subscription.renewsOn', 'Day of the renewal', '3 August 2027'),
      amount,
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.renewal,
        paragraphs: [texts.renewal.renews, texts.renewal.change],
        action: { label: texts.openBilling, link: 'link.billing' },
        bold: 'subscription.renewsOn',
      })
    },
  },
  'subscription.approval_requested': {
    title: 'Approval requested',
    description: 'Sent to the owner when the partner asks to order or change something.',
    variables: [
      ...commonVariables,
      partnerName,
      changeTerms,
      variable('change.added', 'What it adds to the price of a period', '€16.00'),
      variable('approval.expiresOn', 'Last day to approve it', '10 July 2026'),
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.approvalRequested,
        paragraphs: [texts.approvalRequested.asks, texts.approvalRequested.decide],
        action: { label: texts.approvalRequested.action, link: 'link.billing' },
        bold: 'change.terms',
      })
    },
  },
  'subscription.changed_by_partner': {
    title: 'Changed by the partner',
    description: 'Sent to the owner when the partner changed the subscription without asking.',
    variables: [...commonVariables, partnerName, changeTerms, billingLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.changedByPartner,
        paragraphs: [texts.changedByPartner.changed, texts.changedByPartner.allowed],
        action: { label: texts.openBilling, link: 'link.billing' },
        bold: 'change.terms',
      })
    },
  },
  'card.expiring': {
    title: 'Card expires',
    description: 'Sent to billing contact and owner when the card expires before the next payment.',
    variables: [
      ...commonVariables,
      variable('card.name', 'Brand and last digits of the card', 'Visa •••• 4242'),
      variable('card.expires', 'Month in which it expires', '07/2026'),
      variable('card.chargedOn', 'Day of the next payment', '3 August 2026'),
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.cardExpiring,
        paragraphs: [texts.cardExpiring.expires, texts.cardExpiring.replace],
        action: { label: texts.checkCard, link: 'link.billing' },
        bold: 'card.name',
      })
    },
  },
  'invoice.refunded': {
    title: 'Refund',
    description: 'Sent to billing contact and owner when money was refunded.',
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.refunded,
        paragraphs: [texts.refunded.refunded],
        action: { label: texts.openInvoice, link: 'link.invoice' },
        bold: 'invoice.amount',
      })
    },
  },
  'invoice.credited': {
    title: 'Credit note',
    description: 'Sent to billing contact and owner when a credit note was issued.',
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.credited,
        paragraphs: [texts.credited.credited],
        action: { label: texts.openInvoice, link: 'link.invoice' },
        bold: 'invoice.amount',
      })
    },
  },
  'invoice.paid': {
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.paid,
        paragraphs: [texts.paid.paid],
        action: { label: texts.openInvoice, link: 'link.invoice' },
        bold: 'invoice.number',
      })
    },
  },
  'invoice.action_required': {
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.actionRequired,
        paragraphs: [texts.actionRequired.waiting],
        action: { label: texts.actionRequired.action, link: 'link.invoice' },
        bold: 'invoice.amount',
      })
    },
  },
} as const satisfies Record<string, TemplateDefinition>
