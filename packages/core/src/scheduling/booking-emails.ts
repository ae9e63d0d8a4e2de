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
  { name: 'booking.title', description: 'What was booked', sample: 'Introduction call' },
  {
    name: 'booking.date',
    description: 'Day, written out in the language of the reader',
    sample: 'Tuesday, 14 July 2026',
  },
  { name: 'booking.startTime', description: 'Beginning', sample: '10:30' },
  { name: 'booking.endTime', description: 'End', sample: '11:00' },
  { name: 'booking.timeZone', description: 'Time zone of day and times', sample: 'Europe/Berlin' },
  {
    name: 'booking.location',
    description: 'Place, link or number; may be empty',
    sample: 'https://meet.acme.example/intro',
  },
  { name: 'booking.hostName', description: 'Whom the visitor meets', sample: 'Anna Owner' },
  { name: 'booking.visitorName', description: 'Who booked', sample: 'Vera Visitor' },
  {
    name: 'booking.guests',
    description: 'Addresses of further guests, a list',
    sample: ['guest@example.org', 'second@example.org'],
  },
]

const toVisitor: readonly TemplateVariable[] = [
  ...booking,
  {
    name: 'booking.guestsToConfirm',
    description:
      'Guests who are invited once the visitor opens link.manage and confirms, a list; empty for guests',
    sample: ['guest@example.org'],
  },
  {
    name: 'recipient.name',
    description: 'Name of whoever gets the mail; empty for guests',
    sample: 'Vera Visitor',
  },
]

const manageLink: TemplateVariable = {
  name: 'link.manage',
  description: 'Where the visitor moves or cancels the booking; empty for guests',
  sample: 'https://book.acme.example/manage/sample',
}

const bookLink: TemplateVariable = {
  name: 'link.book',
  description: 'Where another time can be booked; may be empty',
  sample: 'https://book.acme.example/acme/anna/introduction',
}

const previous: readonly TemplateVariable[] = [
  { name: 'previous.date', description: 'Day before the change', sample: 'Monday, 13 July 2026' },
  { name: 'previous.startTime', description: 'Beginning before the change', sample: '09:00' },
]

const previousHost: TemplateVariable = {
  name: 'previous.hostName',
  description: 'The host before the change',
  sample: 'Ben Host',
}

const reason: TemplateVariable = {
  name: 'reason',
  description: 'Why; may be empty',
  sample: 'I am ill today.',
}

const toHost: readonly TemplateVariable[] = [
  ...booking,
  { name: 'recipient.name', description: 'Name of the host', sample: 'Anna Owner' },
  {
    name: 'booking.visitorEmail',
    description: 'Address of the visitor',
    sample: 'vera@example.org',
  },
  {
    name: 'booking.answers',
    description: 'What the visitor answered, a list',
    sample: ['Company: Example Ltd', 'Topic: Moving our mail'],
  },
  {
    name: 'booking.note',
    description: 'Note of the visitor; may be empty',
    sample: 'We are three people.',
  },
  {
    name: 'link.bookings',
    description: 'The booking in the portal; may be empty',
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
    title: 'Booking requested',
    description:
      'Sent to the visitor when a booking waits for the host to confirm it, and once more when it was moved meanwhile.',
    variables: [...toVisitor, manageLink, reason],
    standard: (language) => visitorStandards(language).requested,
  },
  'booking.confirmed': {
    title: 'Booking confirmed',
    description:
      'Sent to visitor and guests when a booking is made or confirmed, with a calendar file.',
    variables: [...toVisitor, manageLink],
    standard: (language) => visitorStandards(language).confirmed,
  },
  'booking.moved': {
    title: 'Booking moved',
    description:
      'Sent to visitor and guests when a booking takes place at another time, with a calendar file.',
    variables: [...toVisitor, manageLink, ...previous, reason],
    standard: (language) => visitorStandards(language).moved,
  },
  'booking.replaced': {
    title: 'Booking moved to another host',
    description:
      'Sent to visitor and guests with the mail about a move that another host takes. Takes the old entry out of their calendars.',
    variables: [...toVisitor, manageLink, ...previous, previousHost],
    standard: (language) => visitorStandards(language).replaced,
  },
  'booking.cancelled': {
    title: 'Booking cancelled',
    description:
      'Sent to visitor and guests when a booking is cancelled. Takes it out of their calendars.',
    variables: [...toVisitor, reason, bookLink],
    standard: (language) => visitorStandards(language).cancelled,
  },
  'booking.declined': {
    title: 'Booking declined',
    description: 'Sent to the visitor when the host does not confirm a booking.',
    variables: [...toVisitor, reason, bookLink],
    standard: (language) => visitorStandards(language).declined,
  },
  'booking.expired': {
    title: 'Booking request expired',
    description: 'Sent to the visitor when nobody confirmed a booking in time.',
    variables: [...toVisitor, bookLink],
    standard: (language) => visitorStandards(language).expired,
  },
  'booking.reminder': {
    title: 'Booking reminder',
    description: 'Sent to visitor and guests before a booking.',
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

/** A notice to a host: a sentence, the time before and the reason where they belong, the booking. */
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
    title: 'Host: booking to confirm',
    description: 'Sent to the hosts when a booking waits for one of them to confirm or decline it.',
    variables: toHost,
    standard: hostNotice('requested'),
  },
  'booking.host_booked': {
    title: 'Host: new booking',
    description: 'Sent to the hosts when a booking is made or confirmed.',
    variables: toHost,
    standard: hostNotice('booked'),
  },
  'booking.host_moved': {
    title: 'Host: booking moved',
    description: 'Sent to the hosts when a booking takes place at another time.',
    variables: [...toHost, ...previous, reason],
    standard: hostNotice('moved', { before: true, why: true }),
  },
  'booking.host_reassigned': {
    title: 'Host: booking given to another host',
    description:
      'Sent to the host who had a booking when a move gives it to another host of the round robin.',
    variables: [...toHost, ...previous, reason],
    standard: hostNotice('reassigned', { before: true, why: true }),
  },
  'booking.host_cancelled': {
    title: 'Host: booking cancelled',
    description: 'Sent to the hosts when a booking is cancelled.',
    variables: [...toHost, reason],
    standard: hostNotice('cancelled', { why: true }),
  },
  'booking.host_conflict': {
    title: 'Host: booking meets another entry',
    description:
      'Sent to a host when an entry of the own calendar lies in the time of a booking that was just made or moved.',
    variables: toHost,
    standard: hostNotice('conflict'),
  },
} as const satisfies Record<string, TemplateDefinition>

export const bookingEmails = { ...visitorEmails, ...hostEmails } as const
export type VisitorTemplateKey = keyof typeof visitorEmails
export type HostTemplateKey = keyof typeof hostEmails
