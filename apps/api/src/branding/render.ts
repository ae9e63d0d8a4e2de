import { hasUnsafeCharacters } from '@atrium/core/platform/text'
import { Context, type Template, toValueSync } from 'liquidjs'
import type { MessageText, TemplateValues } from '../platform/templates.ts'
import { liquidFor } from './liquid.ts'

const longestOutput = 300_000
const longestSubject = 500

/**
 * How long a part of a text that people wrote may take. Texts of the product have no such limit: a
 * busy machine would reach it and delay a mail.
 */
export const customPartMs = 250

/**
 * A message from its template, at most 300,000 characters a part, within `partMs` milliseconds each
 * and a bounded amount of memory. Values are escaped in `html`; the subject becomes one line.
 * Throws for a template that `templateFaults` would not pass.
 */
export function renderMessage(
  { subject, html, text }: MessageText,
  values: TemplateValues,
  partMs = Number.POSITIVE_INFINITY,
): MessageText {
  const part = (kind: 'html' | 'text', source: string) =>
    renderParsed(kind, parsed(kind, source), values, partMs)
  return {
    subject: oneLine(part('text', subject)),
    html: html === null ? null : part('html', html),
    text: part('text', text),
  }
}

/**
 * A run of mails has few texts, and to parse one takes as long as to fill it in. Parsed, a text
 * takes up to two hundred times its own length.
 */
const keptCharacters = 150_000
const kept = { html: new Map<string, Template[]>(), text: new Map<string, Template[]>() }
let characters = 0

function parsed(kind: 'html' | 'text', source: string): Template[] {
  const known = kept[kind].get(source)
  if (known) return known
  const templates = liquidFor(kind).parse(source)
  if (source.length > keptCharacters) return templates
  characters += source.length
  if (characters > keptCharacters) {
    kept.html.clear()
    kept.text.clear()
    characters = source.length
  }
  kept[kind].set(source, templates)
  return templates
}

/** Renders a parsed template. Throws when it exceeds a limit. */
export function renderParsed(
  kind: 'html' | 'text',
  templates: Template[],
  values: TemplateValues,
  partMs: number,
): string {
  const liquid = liquidFor(kind)
  const limits = { sync: true, renderLimit: partMs }
  const context = new Context(values, liquid.options, limits, { liquid })
  boundSteps(context)
  const output = { buffer: '', write }
  function write(piece: unknown): void {
    output.buffer += Array.isArray(piece) ? piece.join('') : String(piece ?? '')
    if (output.buffer.length > longestOutput) throw new OutputTooLong()
  }
  toValueSync(liquid.renderer.renderTemplates(templates, context, output))
  return output.buffer
}

/**
 * Parts of a template that one rendering may go through; a message with a loop over all guests goes
 * through about a hundred.
 */
const mostSteps = 5_000

/**
 * Liquid looks at its clock at each part of a template, and a part may be tiny: nested loops reach
 * the end of the time limit with nothing to show for it. Their number is a limit that a busy
 * machine does not move.
 */
function boundSteps({ renderLimit }: Context): void {
  const withinTime = renderLimit.check.bind(renderLimit)
  let steps = 0
  renderLimit.check = (time) => {
    if (++steps > mostSteps) throw new TooManySteps()
    withinTime(time)
  }
}

export class TooManySteps extends Error {
  override readonly name = 'TooManySteps'
  constructor() {
    super(`template step limit exceeded: more than ${mostSteps}`)
  }
}

export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong'
  constructor() {
    super(`the message is longer than ${longestOutput} characters`)
  }
}

/** A name with a line end in it must not begin another header. */
function oneLine(subject: string): string {
  const line = [...subject.replace(/\s+/g, ' ')]
    .filter((character) => !hasUnsafeCharacters(character))
    .join('')
  return line.trim().slice(0, longestSubject)
}
