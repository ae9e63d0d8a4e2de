import type { PageLanguage } from '@atrium/messages/languages'
import { type MailTemplates, mailTemplates } from '@atrium/messages/mail-templates'
import {
  commonVariables,
  page,
  type TemplateDefinition,
  type TemplateText,
  type TemplateVariable,
} from '../branding/email-layout.ts'

const booking: readonly TemplateVariable[] = [
  ...commonVariables,
  { name: 'booking.title', sample: 'Introduction call' },
  {
    name: 'booking.date',
    sample: 'Tuesday, 14 July 2026',
  },
  { name: 'booking.startTime', sample: '10:30' },
  { name: 'booking.endTime', sample: '11:00' },
  { name: 'booking.timeZone', sample: 'Europe/Berlin' },
  {
    name: 'booking.location',
    sample: 'https://meet.acme.example/intro',
  },
  { name: 'booking.hostName', sample: 'Anna Owner' },
  { name: 'booking.visitorName', sample: 'Vera Visitor' },
  {
    name: 'booking.guests',
    sample: ['guest@example.org', 'second@example.org'],
  },
]

const toVisitor: readonly TemplateVariable[] = [
  ...booking,
  {
    name: 'booking.guestsToConfirm',
    sample: ['guest@example.org'],
  },
  {
    name: 'recipient.name',
    sample: 'Vera Visitor',
  },
]

const manageLink: TemplateVariable = {
  name: 'link.manage',
  sample: 'https://book.acme.example/manage/sample',
}

const bookLink: TemplateVariable = {
  name: 'link.book',
  sample: 'https://book.acme.example/acme/anna/introduction',
}

const previous: readonly TemplateVariable[] = [
  { name: 'previous.date', sample: 'Monday, 13 July 2026' },
  { name: 'previous.startTime', sample: '09:00' },
]

const previousHost: TemplateVariable = {
  name: 'previous.hostName',
  sample: 'Ben Host',
}

const reason: TemplateVariable = {
  name: 'reason',
  sample: 'I am ill today.',
}

const toHost: readonly TemplateVariable[] = [
  ...booking,
  { name: 'recipient.name', describedAs: 'recipient.host', sample: 'Anna Owner' },
  {
    name: 'booking.visitorEmail',
    sample: 'vera@example.org',
  },
  {
    name: 'booking.answers',
    sample: ['Company: Example Ltd', 'Topic: Moving our mail'],
  },
  {
    name: 'booking.note',
    sample: 'We are three people.',
  },
  {
    name: 'link.bookings',
    sample: 'https://portal.acme.example/t/acme/scheduling/bookings?booking=sample',
  },
]

/** What several mails about bookings say, in one language. */
function partsIn(texts: MailTemplates['visitor']) {
  const where = '{% if booking.location != "" %}{{ booking.location }}{% endif %}'
  const guests =
    '{% for guest in booking.guests %}{{ guest }}{% unless forloop.last %}, {% endunless %}{% endfor %}'
  const guestLine = `{% if booking.guests.size > 0 %}${texts.guests}: ${guests}{% endif %}`
  const when = `{{ booking.date }}, ${texts.times}`
  const why = `{% if reason != "" %}${texts.reason}{% endif %}`
  const guestsWait = '{% if booking.guestsToConfirm.size > 0 and link.manage != "" %}'
  return {
    hello: texts.hello,
    before: texts.before,
    when,
    whenHtml: `<b>{{ booking.date }}</b><br>${texts.times}`,
    where,
    guestLine,
    why,
    summary: `${texts.meeting}
${when}
{% if booking.location != "" %}${where}
{% endif %}{% if booking.guests.size > 0 %}${guestLine}
{% endif %}`,
    manageLine: `{% if link.manage != "" %}${texts.manage}: {{ link.manage }}

{% endif %}`,
    bookLine: `{% if link.book != "" %}${texts.bookAgain}: {{ link.book }}

{% endif %}`,
    whyLine: `{% if reason != "" %}${why}

{% endif %}`,
    confirmGuests: `${guestsWait}${texts.confirmGuests}{% endif %}`,
    confirmGuestsLine: `${guestsWait}${texts.confirmGuestsText}
{% endif %}`,
  }
}

/** The standard texts of the mails to visitors and their guests. */
function visitorStandards(language: PageLanguage) {
  const texts = mailTemplates[language].visitor
  const parts = partsIn(texts)
  const { hello, before, whenHtml, where, guestLine, why } = parts
  const { summary, manageLine, bookLine, whyLine, confirmGuests, confirmGuestsLine } = parts
  const manage = { label: texts.manage, link: 'link.manage' }
  const again = { label: texts.bookAgain, link: 'link.book' }
  const html = (
    headline: string,
    paragraphs: readonly string[],
    button: { label: string; link: string },
  ) => page(headline, paragraphs, button, language)
  const confirmed = `${hello}, ${texts.yourBooking} ${texts.confirmed.isConfirmed}`
  return {
    requested: {
      subject: texts.requested.subject,
      html: html(
        texts.requested.headline,
        [
          `${hello}, ${texts.requested.opening}`,
          texts.meeting,
          whenHtml,
          why,
          where,
          confirmGuests,
        ],
        manage,
      ),
      text: `${hello}, ${texts.requested.openingText}

${summary}
${whyLine}${confirmGuestsLine}${manageLine}{{ product.name }}
`,
    },
    confirmed: {
      subject: texts.confirmed.subject,
      html: html(
        texts.meeting,
        [confirmed, whenHtml, where, guestLine, confirmGuests, texts.calendarFile],
        manage,
      ),
      text: `${confirmed}

${summary}
${confirmGuestsLine}${manageLine}${texts.calendarFile}

{{ product.name }}
`,
    },
    moved: {
      subject: texts.moved.subject,
      html: html(
        texts.moved.headline,
        [`${hello}, ${texts.moved.opening}`, whenHtml, before, why, where],
        manage,
      ),
      text: `${hello}, ${texts.moved.openingText}

${summary}
${before}

${whyLine}${manageLine}{{ product.name }}
`,
    },
    replaced: {
      subject: texts.replaced.subject,
      html: html(
        texts.replaced.headline,
        [`${hello}, ${texts.replaced.opening}`, whenHtml, before, texts.formerEntry],
        manage,
      ),
      text: `${hello}, ${texts.replaced.opening}

${summary}
${before}

${manageLine}${texts.formerEntry}

{{ product.name }}
`,
    },
    cancelled: {
      subject: texts.cancelled.subject,
      html: html(
        texts.cancelled.headline,
        [`${hello}, ${texts.cancelled.opening}`, whenHtml, why],
        again,
      ),
      text: `${hello}, ${texts.cancelled.opening}

${summary}
${whyLine}${bookLine}{{ product.name }}
`,
    },
    declined: {
      subject: texts.declined.subject,
      html: html(
        texts.declined.headline,
        [`${hello}, ${texts.declined.opening}`, '{{ booking.title }}', whenHtml, why],
        again,
      ),
      text: `${hello}, ${texts.declined.opening}

${summary}
${whyLine}${bookLine}{{ product.name }}
`,
    },
    expired: {
      subject: texts.expired.subject,
      html: html(
        texts.expired.headline,
        [`${hello}, ${texts.expired.opening}`, '{{ booking.title }}', whenHtml],
        again,
      ),
      text: `${hello}, ${texts.expired.opening}

${summary}
${bookLine}{{ product.name }}
`,
    },
    reminder: {
      subject: texts.reminder.subject,
      html: html(texts.meeting, [`${hello}, ${texts.reminder.opening}`, whenHtml, where], manage),
      text: `${hello}, ${texts.reminder.opening}

${summary}
${manageLine}{{ product.name }}
`,
    },
  } as const satisfies Record<string, TemplateText>
}

/** Messages about bookings to visitors and their guests. */
const visitorEmails = {
  'booking.requested': {
    variables: [...toVisitor, manageLink, reason],
    standard: (language) => visitorStandards(language).requested,
  },
  'booking.confirmed': {
    variables: [...toVisitor, manageLink],
    standard: (language) => visitorStandards(language).confirmed,
  },
  'booking.moved': {
    variables: [...toVisitor, manageLink, ...previous, reason],
    standard: (language) => visitorStandards(language).moved,
  },
  'booking.replaced': {
    variables: [...toVisitor, manageLink, ...previous, previousHost],
    standard: (language) => visitorStandards(language).replaced,
  },
  'booking.cancelled': {
    variables: [...toVisitor, reason, bookLink],
    standard: (language) => visitorStandards(language).cancelled,
  },
  'booking.declined': {
    variables: [...toVisitor, reason, bookLink],
    standard: (language) => visitorStandards(language).declined,
  },
  'booking.expired': {
    variables: [...toVisitor, bookLink],
    standard: (language) => visitorStandards(language).expired,
  },
  'booking.reminder': {
    variables: [...toVisitor, manageLink],
    standard: (language) => visitorStandards(language).reminder,
  },
} as const satisfies Record<string, TemplateDefinition>

const responses =
  '{% for answer in booking.answers %}{{ answer }}{% unless forloop.last %}<br>{% endunless %}{% endfor %}'

type HostTexts = MailTemplates['host']
type HostNotice = {
  [Name in keyof HostTexts]: HostTexts[Name] extends string ? never : Name
}[keyof HostTexts]

/**
 * A notice to a host: a sentence, the time before and the reason where they belong, the booking.
 */
function hostNotice(notice: HostNotice, also: { before?: boolean; why?: boolean } = {}) {
  return (language: PageLanguage) => {
    const texts = mailTemplates[language].host
    const parts = partsIn(mailTemplates[language].visitor)
    const { hello, before, when, whenHtml, where, guestLine, why, whyLine } = parts
    const { subject, headline, opening } = texts[notice]
    const note = (value: string) =>
      `{% if booking.note != "" %}${texts.note}: {{ ${value} }}{% endif %}`
    const beforeLine = also.before ? `${before}\n\n` : ''
    return {
      subject,
      html: page(
        headline,
        [
          `${hello}, ${opening}`,
          whenHtml,
          ...(also.before ? [before] : []),
          ...(also.why ? [why] : []),
          where,
          guestLine,
          responses,
          note('booking.note | newline_to_br'),
        ],
        { label: texts.open, link: 'link.bookings' },
        language,
      ),
      text: `${hello}, ${opening}

${texts.meeting}
${when}
{% if booking.location != "" %}${where}
{% endif %}{% if booking.guests.size > 0 %}${guestLine}
{% endif %}{% for answer in booking.answers %}{{ answer }}
{% endfor %}{% if booking.note != "" %}${note('booking.note')}
{% endif %}
${beforeLine}${also.why ? whyLine : ''}{% if link.bookings != "" %}${texts.open}: {{ link.bookings }}

{% endif %}{{ product.name }}
`,
    }
  }
}

/** Messages about bookings to the hosts who take part. Replies go to the visitor. */
const hostEmails = {
  'booking.host_requested': {
    variables: toHost,
    standard: hostNotice('requested'),
  },
  'booking.host_booked': {
    variables: toHost,
    standard: hostNotice('booked'),
  },
  'booking.host_moved': {
    variables: [...toHost, ...previous, reason],
    standard: hostNotice('moved', { before: true, why: true }),
  },
  'booking.host_reassigned': {
    variables: [...toHost, ...previous, reason],
    standard: hostNotice('reassigned', { before: true, why: true }),
  },
  'booking.host_cancelled': {
    variables: [...toHost, reason],
    standard: hostNotice('cancelled', { why: true }),
  },
  'booking.host_conflict': {
    variables: toHost,
    standard: hostNotice('conflict'),
  },
} as const satisfies Record<string, TemplateDefinition>

export const bookingEmails = { ...visitorEmails, ...hostEmails } as const
export type VisitorTemplateKey = keyof typeof visitorEmails
export type HostTemplateKey = keyof typeof hostEmails
