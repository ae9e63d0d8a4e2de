import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'

/**
 * One step of a tutorial. `ui` takes a label of the screen (bold in the text) or a text that the
 * reader types (in backticks) and returns it, so that the step uses the words of the text.
 */
export type Step = (ui: (words: string) => string) => Promise<void>

/**
 * Follows `docs/tutorials/<file>`: for each heading of the text the step of that name, in the order
 * of the text. Fails when a heading has no step or a step no heading, when a step uses words that
 * its section does not name, and when a section names words that its step does not use.
 */
export async function followTutorial(
  file: string,
  steps: Readonly<Record<string, Step>>,
): Promise<void> {
  const text = await readFile(join(import.meta.dirname, '../../docs/tutorials', file), 'utf8')
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...body] = section.split('\n')
      return { title, named: namedIn(body.join(' ')) }
    })
  expect(sections.map(({ title }) => title)).toEqual(Object.keys(steps))
  for (const { title, named } of sections) {
    const unused = new Set(named)
    await steps[title]?.((words) => {
      expect(named, `"${title}" does not name these words`).toContain(words)
      unused.delete(words)
      return words
    }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`The step "${title}" of ${file} failed: ${reason}`, { cause })
    })
    expect([...unused], `"${title}" names words that its step does not use`).toEqual([])
  }
}

/** What is bold or in backticks. */
function namedIn(body: string): string[] {
  return [...body.matchAll(/\*\*(.+?)\*\*|`([^`]+)`/g)].map(([, bold, typed = '']) =>
    (bold ?? typed).replace(/\s+/g, ' '),
  )
}
