import { mailTemplates } from '@atrium/messages/mail-templates'
import {
  commonVariables,
  message,
  type TemplateDefinition,
  type TemplateVariable,
} from './email-layout.ts'

const address: readonly TemplateVariable[] = [
  { name: 'person.email', sample: 'bo@acme.example' },
  { name: 'domain.name', sample: 'acme.example' },
]
const endsOn: TemplateVariable = { name: 'claim.endsOn', sample: '28 July 2026' }
const name: TemplateVariable = { name: 'claim.name', sample: 'bo-1a2b3c4d@detached.invalid' }
const workplace: TemplateVariable = { name: 'workplace.name', sample: 'Acme' }

/** Messages about claims of a tenant to addresses on a domain that it proved. */
export const addressEmails = {
  'address.claimed': {
    variables: [
      ...commonVariables,
      ...address,
      workplace,
      endsOn,
      name,
      { name: 'link.claim', sample: 'https://portal.example/claim/…' },
      { name: 'link.profile', sample: 'https://portal.example/profile' },
    ],
    standard: (language) => {
      const { claimed } = mailTemplates[language].addresses
      return message(language, {
        ...claimed,
        paragraphs: [claimed.why, claimed.move, claimed.change, claimed.otherwise],
        action: { label: claimed.action, link: 'link.claim' },
        bold: 'claim.endsOn',
      })
    },
  },
  'address.claimed_elsewhere': {
    variables: [...commonVariables, ...address, endsOn, name],
    standard: (language) => {
      const { claimedElsewhere } = mailTemplates[language].addresses
      return message(language, {
        ...claimedElsewhere,
        paragraphs: [claimedElsewhere.why, claimedElsewhere.otherwise],
        bold: 'claim.endsOn',
      })
    },
  },
  'address.detached': {
    variables: [...commonVariables, ...address, name],
    standard: (language) => {
      const { detached } = mailTemplates[language].addresses
      return message(language, {
        ...detached,
        paragraphs: [detached.why, detached.next],
        bold: 'claim.name',
      })
    },
  },
  'address.claim_held': {
    variables: [...commonVariables, ...address, workplace],
    standard: (language) => {
      const { held } = mailTemplates[language].addresses
      return message(language, {
        ...held,
        paragraphs: [held.why, held.next],
        bold: 'person.email',
      })
    },
  },
  'address.change': {
    variables: [
      ...commonVariables,
      { name: 'person.name', sample: 'Bo Lind' },
      { name: 'person.email', sample: 'bo@elsewhere.example' },
      { name: 'link.confirm', sample: 'https://portal.example/confirm-address#…' },
    ],
    standard: (language) => {
      const { change } = mailTemplates[language].addresses
      return message(language, {
        ...change,
        paragraphs: [change.why, change.unexpected],
        action: { label: change.action, link: 'link.confirm' },
        bold: 'person.email',
      })
    },
  },
} as const satisfies Record<string, TemplateDefinition>
