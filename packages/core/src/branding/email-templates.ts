import type { Language } from '@atrium/messages/languages'
import { billingEmails } from '../billing/billing-emails.ts'
import { bookingEmails } from '../scheduling/booking-emails.ts'
import {
  commonVariables,
  page,
  type TemplateDefinition,
  type TemplateText,
  type TemplateVariable,
} from './email-layout.ts'
import { platformEmails } from './platform-emails.ts'

const member: readonly TemplateVariable[] = [
  { name: 'member.name', description: 'Name of the person', sample: 'Mira Member' },
  { name: 'member.email', description: 'Address of the person', sample: 'mira@acme.example' },
]

/**
 * Every message that can be branded, with what it may use and the text that goes out unless a
 * tenant overrides it.
 */
export const emailTemplates = {
  'member.welcome': {
    title: 'Welcome',
    description: 'Sent to a new member. The one-time password is never in it.',
    variables: [
      ...commonVariables,
      ...member,
      {
        name: 'link.signIn',
        description: 'Where the member signs in; may be empty',
        sample: 'https://portal.acme.example/',
      },
    ],
    standard: {
      subject: 'Welcome to {{ product.name }}',
      html: page(
        'Welcome, {{ member.name }}',
        [
          'Your account at {{ tenant.name }} is ready. Sign in as <b>{{ member.email }}</b>.',
          'If you are new here, you get your first password from the person who set up your account.',
        ],
        { label: 'Sign in', link: 'link.signIn' },
      ),
      text: `Welcome, {{ member.name }}

Your account at {{ tenant.name }} is ready. Sign in as {{ member.email }}:
{{ link.signIn }}

If you are new here, you get your first password from the person who set up your account.

{{ product.name }}
`,
    },
  },
  'member.invited': {
    title: 'Invitation',
    description:
      'Sent to somebody who is to become a member under an address outside the domains of the tenant.',
    variables: [
      ...commonVariables,
      ...member,
      { name: 'member.role', description: 'Role the person is to have', sample: 'member' },
      { name: 'inviter.name', description: 'Who invited the person', sample: 'Adam Admin' },
      {
        name: 'link.access',
        description: 'Link to accept the invitation; works once',
        sample: 'https://portal.example/invitation/…',
      },
    ],
    standard: {
      subject: 'Invitation to {{ tenant.name }} in {{ product.name }}',
      html: page(
        'Hello {{ member.name }}',
        [
          '{{ inviter.name }} invites you to join {{ tenant.name }} as {{ member.role }}, under the address <b>{{ member.email }}</b>.',
          'The link works once, for seven days. Nothing happens unless you follow it. Do not pass it on: it opens the account with your address.',
        ],
        { label: 'Accept the invitation', link: 'link.access' },
      ),
      text: `Hello {{ member.name }}

{{ inviter.name }} invites you to join {{ tenant.name }} as {{ member.role }}, under the address {{ member.email }}. Accept the invitation at:
{{ link.access }}

The link works once, for seven days. Nothing happens unless you follow it. Do not pass it on: it opens the account with your address.

{{ product.name }}
`,
    },
  },
  'member.access_link': {
    title: 'Link to a new password',
    description:
      'Sent when an admin has reset the password of a member whose address is outside the domains of the tenant.',
    variables: [
      ...commonVariables,
      ...member,
      { name: 'admin.name', description: 'Who reset the password', sample: 'Adam Admin' },
      {
        name: 'link.access',
        description: 'Link to a new password; works once',
        sample: 'https://portal.example/invitation/…',
      },
    ],
    standard: {
      subject: 'Your password for {{ product.name }} was reset',
      html: page(
        'Your password was reset',
        [
          'Hello {{ member.name }}, {{ admin.name }} has reset the password of <b>{{ member.email }}</b>. Follow the link to get a new one.',
          'The link works once, for seven days. Do not pass it on. If you did not ask for this, speak to an admin of {{ tenant.name }}.',
        ],
        { label: 'Get a new password', link: 'link.access' },
      ),
      text: `Hello {{ member.name }}

{{ admin.name }} has reset the password of {{ member.email }}. Get a new one at:
{{ link.access }}

The link works once, for seven days. Do not pass it on. If you did not ask for this, speak to an admin of {{ tenant.name }}.

{{ product.name }}
`,
    },
  },
  'member.password_reset': {
    title: 'Password reset',
    description: 'Sent when an admin has reset the password of a member.',
    variables: [
      ...commonVariables,
      ...member,
      {
        name: 'link.signIn',
        description: 'Where the member signs in; may be empty',
        sample: 'https://portal.acme.example/',
      },
      { name: 'admin.name', description: 'Who reset the password', sample: 'Adam Admin' },
    ],
    standard: {
      subject: 'Your password for {{ product.name }} was reset',
      html: page(
        'Your password was reset',
        [
          'Hello {{ member.name }}, {{ admin.name }} has reset the password of <b>{{ member.email }}</b> and will give you a new one.',
          'If you did not ask for this, speak to an admin of {{ tenant.name }}.',
        ],
        { label: 'Sign in', link: 'link.signIn' },
      ),
      text: `Hello {{ member.name }}

{{ admin.name }} has reset the password of {{ member.email }} and will give you a new one. Sign in at:
{{ link.signIn }}

If you did not ask for this, speak to an admin of {{ tenant.name }}.

{{ product.name }}
`,
    },
  },
  'domain.lapsed': {
    title: 'Domain removed',
    description:
      'Sent to owner and admins when a domain was removed because its ownership was never shown.',
    variables: [
      ...commonVariables,
      { name: 'domain.name', description: 'Name of the domain', sample: 'acme.example' },
      {
        name: 'domain.days',
        description: 'Days that there were to show the ownership',
        sample: '14',
      },
      {
        name: 'link.domains',
        description: 'Where domains are added; may be empty',
        sample: 'https://portal.acme.example/t/acme/domains',
      },
    ],
    standard: {
      subject: '{{ domain.name }} was removed from {{ product.name }}',
      html: page(
        '{{ domain.name }} was removed',
        [
          'Nobody showed within {{ domain.days }} days that <b>{{ domain.name }}</b> belongs to {{ tenant.name }}, so it was removed.',
          'You can add it again at any time. Publish the ownership record that is shown then, and have it checked.',
        ],
        { label: 'Domains', link: 'link.domains' },
      ),
      text: `Nobody showed within {{ domain.days }} days that {{ domain.name }} belongs to {{ tenant.name }}, so it was removed.

You can add it again at any time. Publish the ownership record that is shown then, and have it checked.
{{ link.domains }}

{{ product.name }}
`,
    },
  },
  'domain.superseded': {
    title: 'Domain proved by another workplace',
    description:
      'Sent to owner and admins when a domain was removed because another workplace has shown that it belongs to it.',
    variables: [
      ...commonVariables,
      { name: 'domain.name', description: 'Name of the domain', sample: 'acme.example' },
      {
        name: 'link.domains',
        description: 'Where domains are added; may be empty',
        sample: 'https://portal.acme.example/t/acme/domains',
      },
    ],
    standard: {
      subject: '{{ domain.name }} was removed from {{ product.name }}',
      html: page(
        '{{ domain.name }} was removed',
        [
          'Another workplace has shown that <b>{{ domain.name }}</b> belongs to it, so the domain was removed from {{ tenant.name }}.',
          'If the domain is yours, check who can change its DNS records, and write to the support.',
        ],
        { label: 'Domains', link: 'link.domains' },
      ),
      text: `Another workplace has shown that {{ domain.name }} belongs to it, so the domain was removed from {{ tenant.name }}.

If the domain is yours, check who can change its DNS records, and write to the support.
{{ link.domains }}

{{ product.name }}
`,
    },
  },
  ...bookingEmails,
  ...billingEmails,
} as const satisfies Record<string, TemplateDefinition>

/** A message to people of a tenant, which the tenant may brand. */
export type TemplateKey = keyof typeof emailTemplates
export const templateKeys = Object.keys(emailTemplates) as TemplateKey[]

/** A message from the platform itself, to partners. Nobody overrides it. */
export type PlatformTemplateKey = keyof typeof platformEmails
export type MailTemplateKey = TemplateKey | PlatformTemplateKey
export const mailTemplateKeys = [
  ...templateKeys,
  ...Object.keys(platformEmails),
] as MailTemplateKey[]

/** A message, by its key. */
export function templateDefinition(key: MailTemplateKey): TemplateDefinition {
  return { ...emailTemplates, ...platformEmails }[key]
}

/** The standard text of a message in a language, else in English. */
export function standardText(key: MailTemplateKey, language: Language): TemplateText {
  const { standard, translations } = templateDefinition(key)
  return translations?.[language] ?? standard
}

/** The message as tenants may brand it; undefined for one of the platform's own. */
export function brandableKey(key: MailTemplateKey): TemplateKey | undefined {
  return templateKeys.find((brandable) => brandable === key)
}
