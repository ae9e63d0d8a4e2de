import {
  commonVariables,
  page,
  type TemplateDefinition,
  type TemplateVariable,
} from './email-layout.ts'

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
    standard: {
      subject: 'Invitation to the staff of {{ partner.name }} in {{ product.name }}',
      html: page(
        'Hello {{ person.name }}',
        [
          '{{ inviter.name }} invites you to the partner area of <b>{{ partner.name }}</b>.',
          'The link works once, for seven days. Nothing happens unless you follow it. Do not pass it on. A second factor is needed in the partner area.',
        ],
        { label: 'Accept the invitation', link: 'link.access' },
      ),
      text: `Hello {{ person.name }}

{{ inviter.name }} invites you to the partner area of {{ partner.name }}. Accept the invitation at:
{{ link.access }}

The link works once, for seven days. Nothing happens unless you follow it. Do not pass it on. A second factor is needed in the partner area.

{{ product.name }}
`,
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
    standard: {
      subject: 'Payout of {{ payout.amount }} to {{ partner.name }}',
      html: page(
        'A payout is on its way',
        [
          '<b>{{ payout.amount }}</b> were paid out to {{ partner.name }}, statement {{ payout.statement }}.',
          '{% if payout.reference != "" %}Reference: {{ payout.reference }}{% endif %}',
        ],
        { label: 'See the statement', link: 'link.payouts' },
      ),
      text: `{{ payout.amount }} were paid out to {{ partner.name }}, statement {{ payout.statement }}.
{% if payout.reference != "" %}Reference: {{ payout.reference }}
{% endif %}{{ link.payouts }}

{{ product.name }}
`,
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
        sample: 'payment attempts that failed',
      },
      { name: 'flag.threshold', description: 'Share that the rule allows', sample: '5 %' },
      { name: 'flag.rateOn', description: 'Share among tenants with the flag', sample: '12.5 %' },
      { name: 'flag.rateOff', description: 'Share among tenants without it', sample: '0.8 %' },
      { name: 'flag.minutes', description: 'Length of the window in minutes', sample: '30' },
    ],
    standard: {
      subject: 'The flag {{ flag.key }} was turned off by a guard',
      html: page('{{ flag.key }} is off', [
        'One of its guard rules was broken, so the flag was turned off for every tenant.',
        'Share of {{ flag.signal }}, over the last {{ flag.minutes }} minutes: <b>{{ flag.rateOn }}</b> with the flag, {{ flag.rateOff }} without it. The rule allows {{ flag.threshold }}.',
        'The flag comes back by a change of its rollout in the operator portal, with a note that says why.',
      ]),
      text: `The flag {{ flag.key }} was turned off for every tenant, because one of its guard rules was broken.

Share of {{ flag.signal }}, over the last {{ flag.minutes }} minutes:
with the flag: {{ flag.rateOn }}
without it: {{ flag.rateOff }}
The rule allows {{ flag.threshold }}.

The flag comes back by a change of its rollout in the operator portal, with a note that says why.

{{ product.name }}
`,
    },
  },
} as const satisfies Record<string, TemplateDefinition>
