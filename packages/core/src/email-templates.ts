import { billingEmails } from './billing-emails.ts'
import { commonVariables, page, type TemplateDefinition, type TemplateVariable } from './email-layout.ts'
import { platformEmails } from './platform-emails.ts'

const member: readonly TemplateVariable[] = [
  { name: 'member.name', description: 'Name of the person', sample: 'Mira Member' },
  { name: 'member.email', description: 'Address of the person', sample: 'mira@acme.example' },
]

const booking: readonly TemplateVariable[] = [
  { name: 'booking.title', description: 'What was booked', sample: 'Introduction call' },
  { name: 'booking.date', description: 'Day, written out', sample: 'Tuesday, 14 July 2026' },
  { name: 'booking.startTime', description: 'Beginning', sample: '10:30' },
  { name: 'booking.endTime', description: 'End', sample: '11:00' },
  { name: 'booking.timeZone', description: 'Time zone of day and times', sample: 'Europe/Berlin' },
  { name: 'booking.location', description: 'Place or link; may be empty', sample: 'https://meet.acme.example/intro' },
  { name: 'booking.hostName', description: 'Whom the visitor meets', sample: 'Anna Owner' },
  { name: 'booking.visitorName', description: 'Who booked', sample: 'Vera Visitor' },
  { name: 'booking.guests', description: 'Addresses of further guests, a list', sample: ['guest@example.org', 'second@example.org'] },
]

const manageLink: TemplateVariable = {
  name: 'link.manage',
  description: 'Where the visitor moves or cancels the booking',
  sample: 'https://book.acme.example/manage/sample',
}

const when = '{{ booking.date }}, {{ booking.startTime }} to {{ booking.endTime }} ({{ booking.timeZone }})'
const where = '{% if booking.location != "" %}{{ booking.location }}{% endif %}'
const guests = '{% for guest in booking.guests %}{{ guest }}{% unless forloop.last %}, {% endunless %}{% endfor %}'
const bookingText = `{{ booking.title }} with {{ booking.hostName }}
${when}
${where}
{% if booking.guests.size > 0 %}Guests: ${guests}
{% endif %}`

/** Every message that can be branded, with what it may use and the text that goes out unless a tenant overrides it. */
export const emailTemplates = {
  'member.welcome': {
    title: 'Welcome',
    description: 'Sent to a new member. The one-time password is never in it.',
    variables: [
      ...commonVariables,
      ...member,
      { name: 'link.signIn', description: 'Where the member signs in; may be empty', sample: 'https://portal.acme.example/' },
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
  'member.password_reset': {
    title: 'Password reset',
    description: 'Sent when an admin has reset the password of a member.',
    variables: [
      ...commonVariables,
      ...member,
      { name: 'link.signIn', description: 'Where the member signs in; may be empty', sample: 'https://portal.acme.example/' },
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
  'booking.confirmed': {
    title: 'Booking confirmed',
    description: 'Sent to visitor and host when a booking is made.',
    variables: [...commonVariables, ...booking, manageLink],
    standard: {
      subject: 'Confirmed: {{ booking.title }}, {{ booking.date }}',
      html: page(
        '{{ booking.title }} with {{ booking.hostName }}',
        ['Hello {{ booking.visitorName }}, your booking is confirmed.', when, where],
        {
          label: 'Move or cancel',
          link: 'link.manage',
        },
      ),
      text: `Hello {{ booking.visitorName }}, your booking is confirmed.

${bookingText}
Move or cancel: {{ link.manage }}

{{ product.name }}
`,
    },
  },
  'booking.moved': {
    title: 'Booking moved',
    description: 'Sent to visitor and host when a booking takes place at another time.',
    variables: [
      ...commonVariables,
      ...booking,
      manageLink,
      { name: 'previous.date', description: 'Day before the change', sample: 'Monday, 13 July 2026' },
      { name: 'previous.startTime', description: 'Beginning before the change', sample: '09:00' },
    ],
    standard: {
      subject: 'Moved: {{ booking.title }}, {{ booking.date }}',
      html: page(
        '{{ booking.title }} was moved',
        ['Hello {{ booking.visitorName }}, the new time is:', when, 'It was {{ previous.date }}, {{ previous.startTime }}.', where],
        { label: 'Move or cancel', link: 'link.manage' },
      ),
      text: `Hello {{ booking.visitorName }}, the booking was moved.

${bookingText}
It was {{ previous.date }}, {{ previous.startTime }}.

Move or cancel: {{ link.manage }}

{{ product.name }}
`,
    },
  },
  'booking.cancelled': {
    title: 'Booking cancelled',
    description: 'Sent to visitor and host when a booking is cancelled.',
    variables: [...commonVariables, ...booking, { name: 'reason', description: 'Why; may be empty', sample: 'I am ill today.' }],
    standard: {
      subject: 'Cancelled: {{ booking.title }}, {{ booking.date }}',
      html: page('{{ booking.title }} was cancelled', [
        'Hello {{ booking.visitorName }}, this booking no longer takes place:',
        when,
        '{% if reason != "" %}{{ reason }}{% endif %}',
      ]),
      text: `Hello {{ booking.visitorName }}, this booking no longer takes place:

${bookingText}
{% if reason != "" %}{{ reason }}
{% endif %}
{{ product.name }}
`,
    },
  },
  'booking.reminder': {
    title: 'Booking reminder',
    description: 'Sent to visitor and host before a booking.',
    variables: [...commonVariables, ...booking, manageLink],
    standard: {
      subject: 'Reminder: {{ booking.title }}, {{ booking.date }}, {{ booking.startTime }}',
      html: page('{{ booking.title }} with {{ booking.hostName }}', ['Hello {{ booking.visitorName }}, this is coming up:', when, where], {
        label: 'Move or cancel',
        link: 'link.manage',
      }),
      text: `Hello {{ booking.visitorName }}, this is coming up:

${bookingText}
Move or cancel: {{ link.manage }}

{{ product.name }}
`,
    },
  },
  'domain.lapsed': {
    title: 'Domain removed',
    description: 'Sent to owner and admins when a domain was removed because its ownership was never shown.',
    variables: [
      ...commonVariables,
      { name: 'domain.name', description: 'Name of the domain', sample: 'acme.example' },
      { name: 'domain.days', description: 'Days that there were to show the ownership', sample: '14' },
      { name: 'link.domains', description: 'Where domains are added; may be empty', sample: 'https://portal.acme.example/t/acme/domains' },
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
  ...billingEmails,
} as const satisfies Record<string, TemplateDefinition>

/** A message to people of a tenant, which the tenant may brand. */
export type TemplateKey = keyof typeof emailTemplates
export const templateKeys = Object.keys(emailTemplates) as TemplateKey[]

/** A message from the platform itself, to partners. Nobody overrides it. */
export type PlatformTemplateKey = keyof typeof platformEmails
export type MailTemplateKey = TemplateKey | PlatformTemplateKey
export const mailTemplateKeys = [...templateKeys, ...Object.keys(platformEmails)] as MailTemplateKey[]

/** A message, by its key. */
export function templateDefinition(key: MailTemplateKey): TemplateDefinition {
  return { ...emailTemplates, ...platformEmails }[key]
}

/** The message as tenants may brand it; undefined for one of the platform's own. */
export function brandableKey(key: MailTemplateKey): TemplateKey | undefined {
  return templateKeys.find((brandable) => brandable === key)
}
