import { mailTemplates } from '@atrium/messages/mail-templates'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateVariable,
} from '../branding/email-layout.ts'

const plan: TemplateVariable = {
  name: 'subscription.plan',
  description: 'Name of the plan',
  sample: 'Business',
}
const amount: TemplateVariable = {
  name: 'invoice.amount',
  description: 'Amount with its currency',
  sample: '€120.00',
}
const number: TemplateVariable = {
  name: 'invoice.number',
  description: 'Number of the invoice',
  sample: 'ACME-0042',
}
const billingLink: TemplateVariable = {
  name: 'link.billing',
  description: 'The billing page; may be empty',
  sample: 'https://portal.acme.example/t/acme/billing',
}
const invoiceLink: TemplateVariable = {
  name: 'link.invoice',
  description: 'The invoice on the pages of the payment processor; may be empty',
  sample: 'https://pay.example/invoice/sample',
}
const limitedOn: TemplateVariable = {
  name: 'subscription.limitedOn',
  description: 'Day from which no members, domains and applications can be added',
  sample: '28 July 2026',
}

/** Messages about subscriptions and invoices, to the billing contact and the owner of a tenant. */
export const billingEmails = {
  'subscription.past_due': {
    title: 'Payment failed',
    description:
      'Sent to billing contact and owner when a payment for the subscription has failed.',
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
    title: 'Payment reminder',
    description:
      'Sent to billing contact and owner while a payment for the subscription stays open.',
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
    title: 'Trial ends soon',
    description: 'Sent to billing contact and owner a few days before a trial ends.',
    variables: [
      ...commonVariables,
      plan,
      {
        name: 'subscription.trialEnd',
        description: 'Last day of the trial',
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
  'invoice.paid': {
    title: 'Invoice paid',
    description: 'Sent to the billing contact when an invoice was paid.',
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
    title: 'Payment needs confirmation',
    description:
      'Sent to billing contact and owner when the bank asks for a payment to be confirmed.',
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
