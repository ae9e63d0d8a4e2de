import {
  commonVariables,
  page,
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
    standard: {
      subject: 'A payment for {{ product.name }} failed',
      html: page(
        'A payment failed',
        [
          'The payment of <b>{{ invoice.amount }}</b> for the plan {{ subscription.plan }} of {{ tenant.name }} did not go through.',
          'Please check the card on file. Everything keeps working meanwhile. From {{ subscription.limitedOn }} no members, domains and applications can be added until the payment is made.',
        ],
        { label: 'Check the card', link: 'link.billing' },
      ),
      text: `The payment of {{ invoice.amount }} for the plan {{ subscription.plan }} of {{ tenant.name }} did not go through.

Please check the card on file:
{{ link.billing }}

Everything keeps working meanwhile. From {{ subscription.limitedOn }} no members, domains and applications can be added until the payment is made.

{{ product.name }}
`,
    },
  },
  'subscription.reminder': {
    title: 'Payment reminder',
    description:
      'Sent to billing contact and owner while a payment for the subscription stays open.',
    variables: [...commonVariables, plan, amount, limitedOn, billingLink],
    standard: {
      subject: 'Reminder: a payment for {{ product.name }} is open',
      html: page(
        'A payment is still open',
        [
          'The payment of <b>{{ invoice.amount }}</b> for the plan {{ subscription.plan }} of {{ tenant.name }} is still open.',
          'Mail and files keep working. From {{ subscription.limitedOn }} no members, domains and applications can be added until the payment is made.',
        ],
        { label: 'Check the card', link: 'link.billing' },
      ),
      text: `The payment of {{ invoice.amount }} for the plan {{ subscription.plan }} of {{ tenant.name }} is still open.

Please check the card on file:
{{ link.billing }}

Mail and files keep working. From {{ subscription.limitedOn }} no members, domains and applications can be added until the payment is made.

{{ product.name }}
`,
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
    standard: {
      subject: 'Your trial of {{ product.name }} ends on {{ subscription.trialEnd }}',
      html: page(
        'Your trial ends soon',
        [
          'The trial of the plan {{ subscription.plan }} for {{ tenant.name }} ends on <b>{{ subscription.trialEnd }}</b>. After that the subscription is charged to the card on file.',
          'Look at plan, seats and card before. If you do not want to go on, cancel the subscription by then.',
        ],
        { label: 'Look at the subscription', link: 'link.billing' },
      ),
      text: `The trial of the plan {{ subscription.plan }} for {{ tenant.name }} ends on {{ subscription.trialEnd }}. After that the subscription is charged to the card on file.

Look at plan, seats and card before. If you do not want to go on, cancel the subscription by then:
{{ link.billing }}

{{ product.name }}
`,
    },
  },
  'invoice.paid': {
    title: 'Invoice paid',
    description: 'Sent to the billing contact when an invoice was paid.',
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: {
      subject: 'Receipt for invoice {{ invoice.number }}',
      html: page(
        'Thank you for your payment',
        [
          'Invoice <b>{{ invoice.number }}</b> over {{ invoice.amount }} for {{ tenant.name }} is paid. There is nothing left to do.',
        ],
        { label: 'See the invoice', link: 'link.invoice' },
      ),
      text: `Invoice {{ invoice.number }} over {{ invoice.amount }} for {{ tenant.name }} is paid. There is nothing left to do.
{{ link.invoice }}

{{ product.name }}
`,
    },
  },
  'invoice.action_required': {
    title: 'Payment needs confirmation',
    description:
      'Sent to billing contact and owner when the bank asks for a payment to be confirmed.',
    variables: [...commonVariables, number, amount, invoiceLink],
    standard: {
      subject: 'Please confirm the payment of invoice {{ invoice.number }}',
      html: page(
        'Your bank asks you to confirm a payment',
        [
          'The payment of <b>{{ invoice.amount }}</b> for invoice {{ invoice.number }} of {{ tenant.name }} waits until you confirm it.',
        ],
        { label: 'Confirm the payment', link: 'link.invoice' },
      ),
      text: `The payment of {{ invoice.amount }} for invoice {{ invoice.number }} of {{ tenant.name }} waits until you confirm it:
{{ link.invoice }}

{{ product.name }}
`,
    },
  },
} as const satisfies Record<string, TemplateDefinition>
