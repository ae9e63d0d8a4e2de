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
