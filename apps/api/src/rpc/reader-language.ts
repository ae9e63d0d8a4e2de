import { AsyncLocalStorage } from 'node:async_hooks'
import { writeFailure } from '@atrium/core/platform/failure-text'
import { writeIssues } from '@atrium/core/platform/issue-messages'
import { issueTexts } from '@atrium/messages/issue-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'

const languages = new AsyncLocalStorage<PageLanguage>()

/** The language of the request that is being served; English outside of requests. */
export function readerLanguage(): PageLanguage {
  return languages.getStore() ?? defaultLanguage
}

// Schemas know no request.
writeIssues((key, values) => issueTexts(readerLanguage())(key, { ...values }))

/** A failure that a row holds, in the language of the reader. */
export function readFailure<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : writeFailure(text, readerLanguage())
}

/**
 * Runs the work of a request in the caller's language: what schemas say about its input, and
 * sentences that rows hold.
 */
export function withReaderLanguage<Result>(language: PageLanguage, run: () => Result): Result {
  return languages.run(language, run)
}
