import { readFileSync } from 'node:fs'
import {
  type FailedSystem,
  type FailureKind,
  failureText,
  type StepFailure,
  stepFailureText,
  titleFailureText,
  writeFailure,
} from '@atrium/core/platform/failure-text'
import { describe, expect, it } from 'vitest'

const file = new URL('en/server/failures.json', import.meta.resolve('@atrium/messages/messages'))
const english = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
const names = (part: string) => Object.keys(english[part] ?? {})
const systems = names('systems') as FailedSystem[]
const kinds = names('failures').filter((name) => name !== 'deadline') as FailureKind[]
const steps = names('steps') as StepFailure[]

describe('a failure that a row holds in English', () => {
  it('is written in German for every system and kind, with the same detail', () => {
    for (const system of systems)
      for (const kind of kinds) {
        const text = failureText({ system, call: 'ensureGroup', kind, status: 503 })
        const german = writeFailure(text, 'de')
        expect(german).toMatch(
          new RegExp(`^(?:Der|Das) .+\\. \\[${system}\\.ensureGroup: 503, ${kind}\\]$`),
        )
        expect(writeFailure(text, 'en')).toBe(text)
      }
  })

  it.each(steps)('is written in German for a step: %s', (reason) => {
    const text = stepFailureText(reason, 'acme.test')
    expect(writeFailure(text, 'de')).not.toBe(text)
    expect(writeFailure(text, 'de')).toMatch(new RegExp(`\\. \\[${reason}: acme\\.test\\]$`))
  })

  it.each([
    [
      failureText({ system: 'mail', call: 'check', kind: 'timeout', seconds: 1.5 }),
      'Der Mailserver hat nicht innerhalb von 1.5 s geantwortet. [mail.check: timeout, 1.5 s]',
    ],
    [
      failureText({ system: 'identity', call: 'apply', kind: 'refused', more: 'it has [no] name' }),
      'The identity provider rejected the request: it has [no] name. [identity.apply: refused]',
    ],
    [
      failureText({ system: 'identity', call: 'apply', kind: 'refused', more: 'not applied' }),
      'Der Anmeldedienst hat die Anfrage abgelehnt: not applied. [identity.apply: refused]',
    ],
    [
      `${stepFailureText('personUnknown')} ${stepFailureText('spaceMissing')}`,
      'Der Anmeldedienst kennt diese Person nicht. [personUnknown] Den Dateibereich des Mandanten gibt es noch nicht. [spaceMissing]',
    ],
    [
      titleFailureText('billing_address_incomplete'),
      'Die Rechnungsadresse ist unvollständig. Ergänzen Sie sie, damit die Steuer berechnet werden kann. [billing_address_incomplete]',
    ],
    [
      `${stepFailureText('personUnknown')} The identity was left as it was.`,
      'Der Anmeldedienst kennt diese Person nicht. [personUnknown] The identity was left as it was.',
    ],
  ])('%s is %s', (text, german) => {
    expect(writeFailure(text, 'de')).toBe(german)
  })

  it.each([
    'The file storage reported an error. [ensureSpace: 503, server]',
    'The file storage was asleep. [files.ensureSpace: 503, server]',
    'The file storage reported an error. [toString: 503, server]',
    'Nobody said this. [constructor]',
    'A sentence without a detail.',
    '',
  ])('stays as it is where it is none of this version: %j', (text) => {
    expect(writeFailure(text, 'de')).toBe(text)
  })
})
