import { type Program, Visitor } from 'oxc-parser'

/**
 * Sentences that people read are in the catalogue (`packages/messages`), so that they have every
 * language. This finds those that a file of the API holds itself. Left alone are texts for
 * developers and operators of the service: errors that are bugs, the log, and what describes
 * procedures and schemas.
 */
export function sentencesIn(program: Program, text: string): { at: number; sentence: string }[] {
  const leftAlone: { start: number; end: number }[] = []
  const found: { at: number; end: number; sentence: string }[] = []
  const add = (at: number, end: number, sentence: string) => {
    const isSentence = sentence.split(' ').length > 2 && /^([A-Z]|\$\{)/.test(sentence)
    if (isSentence && /[.?!]$/.test(sentence)) found.push({ at, end, sentence })
  }
  new Visitor({
    NewExpression(node) {
      const name = text.slice(node.callee.start, node.callee.end)
      if (/Error$/.test(name) && name !== 'AppError') leftAlone.push(node)
    },
    CallExpression(node) {
      const name = text.slice(node.callee.start, node.callee.end)
      if (/\blog\.\w+$|\.(describe|meta)$/.test(name)) leftAlone.push(node)
    },
    Property(node) {
      if (/^(summary|description|help)$/.test(text.slice(node.key.start, node.key.end)))
        leftAlone.push(node)
    },
    Literal({ start, end, value }) {
      if (typeof value === 'string') add(start, end, value)
    },
    TemplateLiteral({ start, end }) {
      add(start, end, text.slice(start + 1, end - 1))
    },
  }).visit(program)
  return found
    .filter(({ at, end }) => !leftAlone.some((range) => range.start <= at && end <= range.end))
    .map(({ at, sentence }) => ({ at, sentence }))
}
