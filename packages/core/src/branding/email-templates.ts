import type { PageLanguage } from '@atrium/messages/languages'
import { mailTemplates } from '@atrium/messages/mail-templates'
import { billingEmails } from '../billing/billing-emails.ts'
import { bookingEmails } from '../scheduling/booking-emails.ts'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateText,
  type TemplateVariable,
} from './email-layout.ts'
import { platformEmails } from './platform-emails.ts'
import type { MailTemplateKey, TemplateKey } from './template-keys.ts'

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
    standard: (language) => {
      const texts = mailTemplates[language].member
      return message(language, {
        ...texts.welcome,
        paragraphs: [texts.welcome.ready, texts.welcome.firstPassword],
        action: { label: texts.signIn, link: 'link.signIn' },
        bold: 'member.email',
      })
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
    standard: (language) => {
      const texts = mailTemplates[language].member
      return message(language, {
        ...texts.invited,
        paragraphs: [texts.invited.invitation, texts.linkOnce, texts.invited.ignore],
        action: { label: texts.accept, link: 'link.access' },
        bold: 'member.email',
      })
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
    standard: (language) => {
      const texts = mailTemplates[language].member
      return message(language, {
        ...texts.accessLink,
        paragraphs: [texts.accessLink.reset, texts.linkOnce, texts.accessLink.unexpected],
        action: { label: texts.newPassword, link: 'link.access' },
        bold: 'member.email',
      })
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
    standard: (language) => {
      const texts = mailTemplates[language].member
      return message(language, {
        ...texts.passwordReset,
        paragraphs: [texts.passwordReset.reset, texts.passwordReset.unexpected],
        action: { label: texts.signIn, link: 'link.signIn' },
        bold: 'member.email',
      })
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
    standard: (language) => {
      const texts = mailTemplates[language].domains
      return message(language, {
        ...texts.removed,
        paragraphs: [texts.lapsed.reason, texts.lapsed.addAgain],
        action: { label: texts.open, link: 'link.domains' },
        bold: 'domain.name',
      })
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
    standard: (language) => {
      const texts = mailTemplates[language].domains
      return message(language, {
        ...texts.removed,
        paragraphs: [texts.superseded.reason, texts.superseded.checkDns],
        action: { label: texts.open, link: 'link.domains' },
        bold: 'domain.name',
      })
    },
  },
  ...bookingEmails,
  ...billingEmails,
} as const satisfies Record<TemplateKey, TemplateDefinition>

const definitions = { ...emailTemplates, ...platformEmails }

/** A message, by its key. */
export function templateDefinition(key: MailTemplateKey): TemplateDefinition {
  return definitions[key]
}

/** The standard text of a message in a language. */
export function standardText(key: MailTemplateKey, language: PageLanguage): TemplateText {
  return templateDefinition(key).standard(language)
}
