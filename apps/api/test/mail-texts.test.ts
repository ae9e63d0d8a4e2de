import { standardText, templateDefinition } from '@atrium/core/branding/email-templates'
import { mailTemplateKeys } from '@atrium/core/branding/template-keys'
import { languages, pseudoLanguage } from '@atrium/messages/languages'
import { describe, expect, it } from 'vitest'
import { templateFaults } from '../src/branding/check.ts'
import { renderMessage } from '../src/branding/render.ts'
import { sampleValues } from '../src/branding/samples.ts'
import type { TemplateValues } from '../src/platform/templates.ts'

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

describe.each(mailTemplateKeys)('the standard text of %s in the pseudo-language', (key) => {
  const standard = standardText(key, pseudoLanguage)

  it('has no words beside messages of the catalogue and values', () => {
    for (const values of [withoutWords(sampleValues(key)), withoutWords(sampleValues(key), '')]) {
      const { subject, html, text } = renderMessage(standard, values)
      for (const part of [subject, withoutMarkup(html ?? ''), text])
        expect(outsideBrackets(part)).not.toMatch(/\p{L}/u)
    }
  })

  it('has something to say in subject, text and HTML', () => {
    const { subject, html, text } = renderMessage(standard, sampleValues(key))
    for (const part of [subject, html ?? '', text]) expect(part).toMatch(/⟦[^⟦⟧]*\p{L}/u)
  })
})

it.each([
  ['⟦Hello Mira⟧, ⟦it is ⟦late⟧ now⟧.', ', .'],
  ['⟦Hello⟧ Mira', ' Mira'],
  ['⟦one⟧ and ⟦two⟧', ' and '],
])('of %s only what stands outside the brackets is left', (text, rest) => {
  expect(outsideBrackets(text)).toBe(rest)
})

/** Values of the same shape in which no letter is. */
function withoutWords(values: TemplateValues, value = '0'): TemplateValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, given]) => [name, wordless(given, value)]),
  )
}

function wordless(given: TemplateValues[string], value: string): TemplateValues[string] {
  if (typeof given === 'string') return value
  if (Array.isArray(given)) return value === '' ? [] : given.map(() => value)
  return withoutWords(given as TemplateValues, value)
}

const withoutMarkup = (html: string) => html.replace(/<[^>]*>/g, ' ')

/** What is left of a text without its messages, innermost first. */
function outsideBrackets(text: string): string {
  const rest = text.replace(/⟦[^⟦⟧]*⟧/g, '')
  return rest === text ? rest : outsideBrackets(rest)
}

function emptied(value: unknown) {
  return Object.fromEntries(Object.keys(Object(value)).map((name) => [name, '']))
}
