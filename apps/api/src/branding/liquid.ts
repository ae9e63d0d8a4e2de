import { Liquid } from 'liquidjs'

/**
 * Blocks that templates may use; they nest `deepest` deep. Nothing that reads files or keeps text
 * beside the output.
 */
export const allowedTags = [
  'if',
  'unless',
  'case',
  'for',
  'assign',
  'comment',
  'raw',
  'break',
  'continue',
  '#',
] as const
/** Tags inside those blocks and their end tags. */
export const innerTags = [
  'else',
  'elsif',
  'when',
  'endif',
  'endunless',
  'endcase',
  'endfor',
  'endcomment',
  'endraw',
] as const
export const deepest = 10

// `date` is not among them: days and times come written out, in the language and time zone of the
// reader.
const allowedFilters = new Set([
  ...[
    'append',
    'capitalize',
    'default',
    'downcase',
    'escape',
    'first',
    'join',
    'last',
    'lstrip',
    'minus',
    'newline_to_br',
    'plus',
  ],
  ...[
    'prepend',
    'remove',
    'replace',
    'rstrip',
    'size',
    'slice',
    'split',
    'strip',
    'strip_newlines',
    'truncate',
    'truncatewords',
  ],
  ...['upcase', 'url_encode'],
])

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

function escapeHtml(value: unknown): string {
  const text =
    value === null || value === undefined
      ? ''
      : Array.isArray(value)
        ? value.join('')
        : String(value)
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const engines = { html: createEngine(true), text: createEngine(false) }

/**
 * Liquid with the tags and filters above. In `html` every output is escaped, and no filter switches
 * that off.
 */
export function liquidFor(kind: 'html' | 'text'): Liquid {
  return engines[kind]
}

function createEngine(html: boolean): Liquid {
  const liquid = new Liquid({
    // An empty store of templates in the place of the file system.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    parseLimit: 100_000,
    memoryLimit: 1_000_000,
    ...(html ? { outputEscape: escapeHtml } : {}),
  })
  for (const name of Object.keys(liquid.tags))
    if (!allowedTags.some((allowed) => allowed === name)) delete liquid.tags[name]
  for (const name of Object.keys(liquid.filters))
    if (!allowedFilters.has(name)) liquid.unregisterFilter(name)
  if (html) {
    // They escape by themselves; `raw` keeps the output from being escaped twice.
    liquid.registerFilter('escape', { handler: escapeHtml, raw: true })
    liquid.registerFilter('newline_to_br', {
      handler: (value: unknown) => escapeHtml(value).replace(/\r?\n/g, '<br>\n'),
      raw: true,
    })
  }
  return liquid
}
