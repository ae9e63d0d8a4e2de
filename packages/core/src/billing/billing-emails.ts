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

const variable = (name: TemplateVariable['name'], sample: string): TemplateVariable => ({
  name,
  sample,
})
const partnerName = variable('partner.name', 'North Resale')
const changeTerms = variable('change.terms', 'Business, 12 seats, €96.00 a month without tax')

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
  'subscription.price_change': {
    variables: [
      ...commonVariables,
      plan,
      variable('price.before', '€80.00'),
      variable('price.after', '€90.00'),
      variable('price.tax', 'without tax'),
      variable('price.from', '1 March 2027'),
      variable('price.choice', 'If you do not agree, cancel the subscription before that day.'),
      billingLink,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.priceChange,
        paragraphs: [texts.priceChange.changes, texts.priceChange.choice],
        action: { label: texts.trialEnding.action, link: 'link.billing' },
        bold: 'price.after',
      })
    },
  },
  'subscription.price_kept': {
    variables: [...commonVariables, plan, billingLink],
    standard: (language) => {
      const texts = mailTemplates[language].billing
      return message(language, {
        ...texts.priceKept,
        paragraphs: [texts.priceKept.kept, texts.priceKept.stays],
        action: { label: texts.openBilling, link: 'link.billing' },
        bold: 'subscription.plan',
      })
    },
  },
  'subscription.canceled': {
    variables: [
      ...commonVariables,
      plan,
      variable('cancellation.receivedAt', '3 July 2026 at 14:05 UTC'),
      variable('cancellation.endsAt', '31 July 2026 at 09:30 UTC'),
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
    variables: [
      ...commonVariables,
      plan,
      variable('subscription.renewsOn', '3 August 2027'),
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
    variables: [
      ...commonVariables,
      partnerName,
      changeTerms,
      variable('change.added', '€16.00 without tax'),
      variable('approval.expiresOn', '10 July 2026'),
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
    variables: [
      ...commonVariables,
      variable('card.name', 'Visa •••• 4242'),
      variable('card.expires', '07/2026'),
      variable('card.chargedOn', '3 August 2026'),
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
