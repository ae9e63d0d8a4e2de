import {
  mailTemplateKeys,
  standardText,
  templateDefinition,
} from '@atrium/core/branding/email-templates'
import { languages } from '@atrium/messages/languages'
import { describe, expect, it } from 'vitest'
import { templateFaults } from '../src/branding/check.ts'
import { renderMessage } from '../src/branding/render.ts'
import { sampleValues } from '../src/branding/samples.ts'

const texts = mailTemplateKeys.flatMap((key) => languages.map((language) => ({ key, language })))

describe.each(texts)('the standard text of $key in $language', ({ key, language }) => {
  const { variables } = templateDefinition(key)
  const standard = standardText(key, language)

  it('is one that could be saved, and says with sample data what it is about', () => {
    expect(templateFaults(key, standard, 'template')).toEqual([])
    const message = renderMessage(standard, sampleValues(key))
    expect(message.subject).not.toBe('')
    for (const part of [message.subject, message.text, message.html ?? ''])
      expect(part).not.toMatch(/\{\{|\{%|undefined|\[object/)
  })

  it('leaves nothing behind where a value that may be empty is empty', () => {
    const values = sampleValues(key)
    const empty = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        name === 'link' ? emptied(value) : value,
      ]),
    )
    const { html } = renderMessage(standard, empty)
    expect(html).not.toContain('href=""')
  })

  it('names every variable once', () => {
    const names = variables.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

function emptied(value: unknown) {
  return Object.fromEntries(Object.keys(Object(value)).map((name) => [name, '']))
}
