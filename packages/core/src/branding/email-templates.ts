import type { PageLanguage } from '@atrium/messages/languages'
import { mailTemplateTexts } from '@atrium/messages/mail-template-texts'
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
  { name: 'member.name', sample: 'Mira Member' },
  { name: 'member.email', sample: 'mira@acme.example' },
]

const admin: TemplateVariable = { name: 'admin.name', sample: 'Adam Admin' }

const newPassword: TemplateVariable = {
  name: 'link.access',
  describedAs: 'link.newPassword',
  sample: 'https://portal.example/invitation/…',
}

const domains: TemplateVariable = {
  name: 'link.domains',
  sample: 'https://portal.acme.example/t/acme/domains',
}

const security: TemplateVariable = {
  name: 'link.security',
  sample: 'https://portal.acme.example/profile/security',
}

/**
 * Every message that can be branded, with what it may use and the text that goes out unless a
 * tenant overrides it.
 */
export const emailTemplates = {
  'member.welcome': {
    variables: [
      ...commonVariables,
      ...member,
      {
        name: 'link.signIn',
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
    variables: [
      ...commonVariables,
      ...member,
      { name: 'member.role', sample: 'member' },
      { name: 'inviter.name', sample: 'Adam Admin' },
      { name: 'invitation.days', sample: '7' },
      {
        name: 'link.access',
        sample: 'https://portal.example/invitation/…',
      },
    ],
    standard: (language) => {
      const texts = mailTemplates[language].member
      return message(language, {
        ...texts.invited,
        paragraphs: [texts.invited.invitation, texts.invited.link, texts.invited.ignore],
        action: { label: texts.accept, link: 'link.access' },
        bold: 'member.email',
      })
    },
  },
  'member.access_link': {
    variables: [...commonVariables, ...member, admin, newPassword],
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
  'member.password_link': {
    variables: [...commonVariables, ...member, admin, newPassword],
    standard: (language) => {
      const texts = mailTemplates[language].member
      const { sent, once, mail, unexpected } = texts.passwordLink
      return message(language, {
        ...texts.passwordLink,
        paragraphs: [sent, once, mail, unexpected],
        action: { label: texts.newPassword, link: 'link.access' },
        bold: 'member.email',
      })
    },
  },
  'member.password_reset': {
    variables: [
      ...commonVariables,
      ...member,
      {
        name: 'link.signIn',
        sample: 'https://portal.acme.example/',
      },
      admin,
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
  'member.app_password_created': {
    variables: [
      ...commonVariables,
      ...member,
      { name: 'password.name', sample: 'Phone' },
      security,
    ],
    standard: (language) => {
      const texts = mailTemplates[language].member
      const { created, unexpected } = texts.appPasswordCreated
      return message(language, {
        ...texts.appPasswordCreated,
        paragraphs: [created, unexpected],
        action: { label: texts.openSecurity, link: 'link.security' },
        bold: 'password.name',
      })
    },
  },
  'member.sessions_ended': {
    variables: [...commonVariables, ...member, admin, security],
    standard: (language) => {
      const texts = mailTemplates[language].member
      const { ended, unexpected } = texts.sessionsEnded
      return message(language, {
        ...texts.sessionsEnded,
        paragraphs: [ended, unexpected],
        action: { label: texts.openSecurity, link: 'link.security' },
        bold: 'member.email',
      })
    },
  },
  'member.second_factors_reset': {
    variables: [...commonVariables, ...member, admin, security],
    standard: (language) => {
      const texts = mailTemplates[language].member
      const { removed, unexpected } = texts.secondFactorsReset
      return message(language, {
        ...texts.secondFactorsReset,
        paragraphs: [removed, unexpected],
        action: { label: texts.openSecurity, link: 'link.security' },
        bold: 'member.email',
      })
    },
  },
  'member.second_factor_reminder': {
    variables: [...commonVariables, ...member, admin, security],
    standard: (language) => {
      const texts = mailTemplates[language].member
      const { reminder, why } = texts.secondFactorReminder
      return message(language, {
        ...texts.secondFactorReminder,
        paragraphs: [reminder, why],
        action: { label: texts.openSecurity, link: 'link.security' },
        bold: 'member.email',
      })
    },
  },
  'domain.lapsed': {
    variables: [
      ...commonVariables,
      { name: 'domain.name', sample: 'acme.example' },
      {
        name: 'domain.days',
        sample: '14',
      },
      domains,
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
    variables: [...commonVariables, { name: 'domain.name', sample: 'acme.example' }, domains],
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

/** What a message is called, when it is sent and what its variables mean, in a language. */
export function describeTemplate(key: MailTemplateKey, language: PageLanguage) {
  const t = mailTemplateTexts(language)
  const variables = templateDefinition(key).variables.map(
    ({ name, describedAs = name, sample }) => ({
      name,
      description: t(`variables.${describedAs}`),
      sample,
    }),
  )
  return {
    title: t(`templates.${key}.title`),
    description: t(`templates.${key}.description`),
    variables,
  }
}

/** The standard text of a message in a language. */
export function standardText(key: MailTemplateKey, language: PageLanguage): TemplateText {
  return templateDefinition(key).standard(language)
}
