/**
 * A file of messages with each of them in brackets. Messages are ICU texts, or what `icu-minify`
 * made of them: a list of parts.
 */
export function inBrackets<Messages>(messages: Messages): Messages
export function inBrackets(messages: unknown): unknown {
  if (typeof messages === 'string') return `⟦${messages}⟧`
  if (Array.isArray(messages)) return ['⟦', ...messages, '⟧']
  if (typeof messages !== 'object' || messages === null) return messages
  return Object.fromEntries(
    Object.entries(messages).map(([key, message]) => [key, inBrackets(message)]),
  )
}
