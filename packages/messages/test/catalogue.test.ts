import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  isArgumentElement,
  isDateElement,
  isNumberElement,
  isPluralElement,
  isSelectElement,
  isTagElement,
  isTimeElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser'
import { describe, expect, it } from 'vitest'
import { languages } from '../src/languages.ts'

const folder = join(import.meta.dirname, '../src')

const filesOf = (language: string) =>
  readdirSync(join(folder, language), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(folder, language), join(entry.parentPath, entry.name)))
    .sort()

/** Files of Liquid templates; all others hold ICU messages. */
const isLiquid = (file: string) => file.startsWith('mail/')
const icuFiles = filesOf('en').filter((file) => !isLiquid(file))
const liquidFiles = filesOf('en').filter(isLiquid)

/** Every message of a file by its path of keys: `schemes.dark`. */
function messagesOf(language: string, file: string): Map<string, string> {
  const messages = new Map<string, string>()
  const walk = (value: unknown, path: string[]) => {
    if (typeof value === 'string') return messages.set(path.join('.'), value)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${file}: ${path.join('.')} is neither a text nor an object of texts.`)
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key])
    return messages
  }
  walk(JSON.parse(readFileSync(join(folder, language, file), 'utf8')), [])
  return messages
}

/** What a message needs from its caller: arguments with their kind, and tags. */
function needsOf(message: string): string[] {
  const needs = new Set<string>()
  const walk = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (isArgumentElement(element)) needs.add(element.value)
      if (isNumberElement(element)) needs.add(`${element.value} (number)`)
      if (isDateElement(element) || isTimeElement(element)) needs.add(`${element.value} (date)`)
      if (isTagElement(element)) {
        needs.add(`<${element.value}>`)
        walk(element.children)
      }
      if (isPluralElement(element) || isSelectElement(element)) {
        const kind = isPluralElement(element) ? 'number' : 'choice'
        needs.add(`${element.value} (${kind})`)
        for (const { value } of Object.values(element.options)) walk(value)
      }
    }
  }
  walk(parse(message))
  return [...needs].sort()
}

/** The options of choices: a language that lacks one shows `other` for it. */
function choicesOf(message: string): string[] {
  const choices: string[] = []
  const walk = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (isTagElement(element)) walk(element.children)
      if (!isPluralElement(element) && !isSelectElement(element)) continue
      if (isSelectElement(element))
        choices.push(`${element.value}: ${Object.keys(element.options).sort()}`)
      for (const { value } of Object.values(element.options)) walk(value)
    }
  }
  walk(parse(message))
  return choices.sort()
}

/** Outputs and tags of a template, whatever their order. */
function liquidOf(template: string): string[] {
  return (template.match(/\{\{.*?\}\}|\{%.*?%\}/g) ?? []).sort()
}

describe.each(languages)('the catalogue in %s', (language) => {
  it('has the files of the English one, each listed in a module', () => {
    expect(filesOf(language)).toEqual(filesOf('en'))
    const listed = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    for (const file of filesOf('en')) expect(listed, file).toContain(`./en/${file}`)
  })

  it.each(icuFiles)('has every message of %s, for the same arguments', (file) => {
    const english = messagesOf('en', file)
    const own = messagesOf(language, file)
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort())
    for (const [key, message] of own) {
      expect(message.trim(), key).not.toBe('')
      expect(needsOf(message), key).toEqual(needsOf(english.get(key) ?? ''))
      expect(choicesOf(message), key).toEqual(choicesOf(english.get(key) ?? ''))
    }
  })

  it.each(liquidFiles)('has every template of %s, with the same variables and branches', (file) => {
    const english = messagesOf('en', file)
    const own = messagesOf(language, file)
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort())
    for (const [key, template] of own) {
      expect(template.trim(), key).not.toBe('')
      expect(liquidOf(template), key).toEqual(liquidOf(english.get(key) ?? ''))
    }
  })

  it.each(icuFiles)('has the plural forms of the language in %s', (file) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const [key, message] of messagesOf(language, file)) {
      const walk = (elements: readonly MessageFormatElement[]) => {
        for (const element of elements) {
          if (isTagElement(element)) walk(element.children)
          if (isSelectElement(element))
            for (const { value } of Object.values(element.options)) walk(value)
          if (!isPluralElement(element)) continue
          const named = Object.keys(element.options).filter((form) => !form.startsWith('='))
          if (element.pluralType === 'cardinal')
            expect(named.sort(), key).toEqual([...forms].sort())
          for (const { value } of Object.values(element.options)) walk(value)
        }
      }
      walk(parse(message))
    }
  })
})
